/* test_report.c - the text of reports for people. If it fails, a report has lines wider than it promises, loses a word or half a Chinese
 * character where it is wrapped, or shows a value of a file as nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "command/model_formats.h"
#include "command/report.h"
#include "json/json.h"

/* The text of a flow behind a label, without its line ends and indents; every line fits. */
static void assert_flows(const char *text, int indent, int at)
{
    struct buf out = {0};
    buf_text(&out, "x");
    report_pad(&out, at - 1);
    report_flow(&out, text, indent, at);
    char *lines = buf_string(&out), *save, joined[2000] = "";
    assert_true(lines[0] == 'x' && lines[strlen(lines) - 1] == '\n');
    lines[0] = ' ';
    for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        size_t blanks = strspn(line, " ");
        assert_true(utf8_width(line) <= REPORT_WIDTH);
        assert_true(line > lines ? blanks == (size_t)indent : blanks == (size_t)at || !line[blanks]);
        strcat(strcat(joined, *joined && strchr(text, ' ') ? " " : ""), line + blanks);
    }
    assert_string_equal(joined, text);
    free(lines);
}

static void a_flow_keeps_every_word(void **state)
{
    (void)state;
    assert_flows("short", 4, 4);
    assert_flows("the base is lost where the file names its keys as another release of the library did, and what is read in its place is "
                 "the default of the family, which no checkpoint of this length was trained with", 12, 20);
    assert_flows("rope_theta", 4, 95);
}

/* Text without blanks is cut where a cell ends, the first line where the cursor leaves no room. */
static void chinese_is_cut_by_cells(void **state)
{
    (void)state;
    char text[1000] = "";
    for (int i = 0; i < 130; i++)
        strcat(text, "位");
    assert_flows(text, 4, 4);
    assert_flows(text, 5, 30);
    assert_flows(text, 4, 99);
}

static void values_are_one_line(void **state)
{
    (void)state;
    static const struct { const char *json, *text; } rows[] = {
        {"500000", "500000"}, {"0.1", "0.1"}, {"\"half\"", "half"}, {"true", "true"}, {"false", "false"}, {"null", ""}, {"[16, 24, 24]", "16 24 24"},
        {"[1,2,3,4,5,6,7,8,9,10,11,12]", "1 2 3 4 5 6 7 8 9 10 11 12"}, {"[1,2,3,4,5,6,7,8,9,10,11,12,13]", "1 2 3 4 5 6 7 8 9 10 11 12 ... (13)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        struct json *v = json_parse(rows[i].json, strlen(rows[i].json), NULL);
        assert_string_equal(model_value_text(v, text, sizeof text), rows[i].text);
        json_free(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_keeps_every_word),
        cmocka_unit_test(chinese_is_cut_by_cells),
        cmocka_unit_test(values_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
