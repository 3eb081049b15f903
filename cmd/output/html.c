/* SPDX-License-Identifier: GPL-2.0-or-later */
/* html.c - escaping and charts. */
#include "cmd/output/html.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/output/number.h"

#define CHART_WIDTH 800.0
#define CHART_HEIGHT 120.0

/* Bytes of the well-formed character at s (RFC 3629, by its lead byte), 0 where there is none. */
static size_t character_len(const unsigned char *s)
{
	size_t len = *s < 0x80	 ? 1
		     : *s < 0xc2 ? 0
		     : *s < 0xe0 ? 2
		     : *s < 0xf0 ? 3
		     : *s < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

void html_text(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		size_t len = character_len(s);

		if (*s == '&')
			(void)fputs("&amp;", f);
		else if (*s == '<')
			(void)fputs("&lt;", f);
		else if (*s == '>')
			(void)fputs("&gt;", f);
		else if (*s == '"')
			(void)fputs("&quot;", f);
		else if (len == 0 || *s < ' ' || *s == 0x7f)
			(void)fputs("&#xfffd;", f);
		else
			(void)fwrite(s, 1, len, f);
		s += len ? len : 1;
	}
}

static uint64_t most(const struct html_chart *c)
{
	const uint64_t *values = c->most ? c->most : c->values;
	uint64_t max = 0;

	for (size_t i = 0; i < c->n; i++)
		if (values[i] > max)
			max = values[i];
	return max;
}

/* One bar, with its tooltip. */
static void write_bar(FILE *f, const struct html_chart *c, size_t i, uint64_t value, uint64_t max,
		      const char *how)
{
	double width = CHART_WIDTH / (double)c->n;
	double height = (double)value / (double)max * CHART_HEIGHT;
	char label[96];

	if (value == 0)
		return;
	c->label(c->arg, i, label, sizeof(label));
	(void)fprintf(f,
		      "<rect class=\"%s%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" "
		      "height=\"%.2f\"><title>",
		      c->class, how, (double)i * width, CHART_HEIGHT - height,
		      width > 3 ? width - 1 : width, height);
	html_text(f, label);
	(void)fputs("</title></rect>\n", f);
}

static void write_mark(FILE *f, const struct html_chart *c)
{
	double x = CHART_WIDTH * ((double)c->mark + 0.5) / (double)c->n;

	(void)fprintf(f, "<line class=\"mark\" x1=\"%.2f\" x2=\"%.2f\" y1=\"0\" y2=\"%.0f\"/>\n", x,
		      x, CHART_HEIGHT);
}

static void write_caption(FILE *f, const struct html_chart *c)
{
	(void)fputs("<figcaption>", f);
	html_text(f, c->what);
	if (c->mark < c->n) {
		(void)fputs("; <span class=\"mark\">dashed: ", f);
		html_text(f, c->mark_text);
		(void)fputs("</span>", f);
	}
	if (c->most)
		(void)fputs("; pale: up to so many, where the trace cannot tell", f);
	(void)fputs("</figcaption>\n", f);
}

/* Everything before the marks themselves: caption, numbers of the upright axis, the drawing's begin. */
static void begin_chart(FILE *f, const struct html_chart *c, uint64_t max)
{
	(void)fputs("<figure>", f);
	write_caption(f, c);
	(void)fprintf(f,
		      "<div class=\"plot\"><div class=\"axis\"><span>%s</span><span>%s</span>"
		      "<span>0</span></div>\n"
		      "<svg viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\" "
		      "aria-label=\"",
		      number_of(max, true).text, max > 1 ? number_of(max / 2, true).text : "",
		      CHART_WIDTH, CHART_HEIGHT);
	html_text(f, c->what);
	(void)fprintf(f, ": at most %s\">\n", number_of(max, true).text);
	(void)fprintf(f,
		      "<path class=\"grid\" d=\"M0 0H%.0fM0 %.0fH%.0f\" "
		      "vector-effect=\"non-scaling-stroke\"/>\n",
		      CHART_WIDTH, CHART_HEIGHT / 2, CHART_WIDTH);
}

static void end_chart(FILE *f, const struct html_chart *c)
{
	if (c->mark < c->n)
		write_mark(f, c);
	(void)fputs("</svg></div>\n<div class=\"ends\"><span>", f);
	html_text(f, c->first);
	(void)fputs("</span><span>", f);
	html_text(f, c->last);
	(void)fputs("</span></div></figure>\n", f);
}

void html_columns(FILE *f, const struct html_chart *c)
{
	uint64_t max = most(c);

	begin_chart(f, c, max);
	for (size_t i = 0; i < c->n && c->most; i++)
		if (c->most[i] > c->values[i])
			write_bar(f, c, i, c->most[i], max, " pale");
	for (size_t i = 0; i < c->n; i++)
		write_bar(f, c, i, c->values[i], max, "");
	end_chart(f, c);
}

static double height_of(uint64_t value, uint64_t max)
{
	return max ? CHART_HEIGHT - (double)value / (double)max * CHART_HEIGHT : CHART_HEIGHT;
}

/* The ground under the steps of so many values; a step only where the value changes. */
static void write_ground(FILE *f, const char *class, const char *how, const uint64_t *values,
			 size_t n, uint64_t max)
{
	(void)fprintf(f, "<path class=\"%s%s\" d=\"M0 %.0f", class, how, CHART_HEIGHT);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || values[i] != values[i - 1])
			(void)fprintf(f, "H%.2fV%.2f", CHART_WIDTH * (double)i / (double)n,
				      height_of(values[i], max));
	(void)fprintf(f, "H%.0fV%.0fZ\"/>\n", CHART_WIDTH, CHART_HEIGHT);
}

/* Invisible, but for what they say where the pointer is. */
static void write_tips(FILE *f, const struct html_chart *c)
{
	double width = CHART_WIDTH / (double)c->n;

	for (size_t i = 0; i < c->n; i++) {
		char label[96];

		c->label(c->arg, i, label, sizeof(label));
		(void)fprintf(f,
			      "<rect class=\"tip\" x=\"%.2f\" y=\"0\" width=\"%.2f\" "
			      "height=\"%.0f\"><title>",
			      (double)i * width, width, CHART_HEIGHT);
		html_text(f, label);
		(void)fputs("</title></rect>\n", f);
	}
}

void html_steps(FILE *f, const struct html_chart *c)
{
	uint64_t max = most(c);

	begin_chart(f, c, max);
	if (c->most)
		write_ground(f, c->class, " pale", c->most, c->n, max);
	write_ground(f, c->class, "", c->values, c->n, max);
	write_tips(f, c);
	end_chart(f, c);
}

void html_bar(FILE *f, const struct html_bar *b)
{
	double share = b->max ? 100 * (double)b->value / (double)b->max : 0;

	(void)fputs("<div class=\"bar\"><span>", f);
	html_text(f, b->label);
	(void)fprintf(f,
		      "</span><svg viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\">"
		      "<rect class=\"%s\" width=\"%.2f\" height=\"1\"/></svg><span>",
		      b->class, share > 0 && share < 0.3 ? 0.3 : share);
	html_text(f, b->text);
	(void)fputs("</span></div>\n", f);
}
