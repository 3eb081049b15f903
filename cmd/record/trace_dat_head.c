/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_dat_head.c - header, sections and options of a trace.dat, versions 6 and 7. */
#include "cmd/record/trace_dat_head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <zstd.h>

#include "analyze/bytes.h"
#include "config.h"

#define ZSTD_LEVEL 3

/* Numbers of sections and options; trace-cmd.dat.v7(5). */
enum {
	ID_OPTIONS = 0,
	ID_CPUSTAT = 2,
	ID_BUFFER = 3,
	ID_TRACECLOCK = 4,
	ID_UNAME = 5,
	ID_CPUCOUNT = 8,
	ID_VERSION = 9,
	ID_STRINGS = 15,
	ID_HEADER_INFO = 16,
	ID_FTRACE_EVENTS = 17,
	ID_EVENT_FORMATS = 18,
	ID_KALLSYMS = 19,
	ID_PRINTK = 20,
	ID_CMDLINES = 21,
};

/* The descriptions that sections may have, and where each is among them. */
static const char strings[] = "headers\0ftrace events\0events format\0kallsyms\0printk\0"
			      "command lines\0options\0buffer flyrecord\0strings";

static uint32_t string_id(const char *text)
{
	const char *at = strings;

	while (strcmp(at, text))
		at += strlen(at) + 1;
	return (uint32_t)(at - strings);
}

static void put_initial(struct blob *b, const struct trace_dat_setup *setup)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	uint8_t machine[2] = { host_is_big_endian(), sizeof(long) };

	blob_put(b, magic, sizeof(magic));
	blob_text(b, setup->version == 6 ? "6" : "7");
	blob_put(b, machine, sizeof(machine));
	blob_u32(b, setup->page_size);
}

/* A file of tracefs behind its size in 8 bytes. */
static void put_sized_file(struct blob *b, const char *system, const char *name, const char *file)
{
	int size = 0;
	char *text = name ? tracefs_event_file_read(NULL, system, name, file, &size)
			  : tracefs_instance_file_read(NULL, file, &size);

	blob_u64(b, text ? (uint64_t)size : 0);
	if (text)
		blob_put(b, text, (size_t)size);
	free(text);
}

static void put_headers(struct blob *b)
{
	blob_text(b, "header_page");
	put_sized_file(b, NULL, NULL, "events/header_page");
	blob_text(b, "header_event");
	put_sized_file(b, NULL, NULL, "events/header_event");
}

static void put_ftrace_formats(struct blob *b)
{
	char **names = tracefs_system_events(NULL, "ftrace");
	uint32_t n = 0;

	for (char **name = names; name && *name; name++)
		n += tracefs_event_file_exists(NULL, "ftrace", *name, "format");
	blob_u32(b, n);
	for (char **name = names; name && *name; name++)
		if (tracefs_event_file_exists(NULL, "ftrace", *name, "format"))
			put_sized_file(b, "ftrace", *name, "format");
	tracefs_list_free(names);
}

static bool is_first_of_system(const struct trace_dat_setup *setup, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (!strcmp(setup->events[i].system, setup->events[at].system))
			return false;
	return true;
}

static void put_system(struct blob *b, const struct trace_dat_setup *setup, const char *system)
{
	uint32_t n = 0;

	for (size_t i = 0; i < setup->n_events; i++)
		n += !strcmp(setup->events[i].system, system);
	blob_text(b, system);
	blob_u32(b, n);
	for (size_t i = 0; i < setup->n_events; i++)
		if (!strcmp(setup->events[i].system, system))
			put_sized_file(b, system, setup->events[i].name, "format");
}

static void put_event_formats(struct blob *b, const struct trace_dat_setup *setup)
{
	uint32_t n = 0;

	for (size_t i = 0; i < setup->n_events; i++)
		n += is_first_of_system(setup, i);
	blob_u32(b, n);
	for (size_t i = 0; i < setup->n_events; i++)
		if (is_first_of_system(setup, i))
			put_system(b, setup, setup->events[i].system);
}

/* A text behind its size in 4 bytes. */
static void put_text_file(struct blob *b, const char *path)
{
	struct blob text = { 0 };
	uint32_t size;

	if (!blob_file(&text, path) || text.size > UINT32_MAX)
		text.size = 0;
	size = (uint32_t)text.size;
	blob_u32(b, size);
	blob_put(b, text.data, size);
	free(text.data);
}

static void put_kallsyms(struct blob *b)
{
	put_text_file(b, "/proc/kallsyms");
}

static void put_printk(struct blob *b)
{
	char *path = tracefs_get_tracing_file("printk_formats");

	put_text_file(b, path ? path : "");
	tracefs_put_tracing_file(path);
}

static size_t section_begin(struct blob *b, uint16_t id, bool compressed, const char *text)
{
	size_t at = b->size;

	blob_u16(b, id);
	blob_u16(b, compressed);
	blob_u32(b, string_id(text));
	blob_u64(b, 0);
	return at;
}

static void section_end(struct blob *b, size_t at)
{
	blob_patch_u64(b, at + 8, b->size - at - 16);
}

/* The content as a compressed section. Returns where it begins; the content is freed. */
static uint64_t put_section(struct blob *b, uint16_t id, const char *text, struct blob *content)
{
	size_t at = section_begin(b, id, true, text);
	size_t room = ZSTD_compressBound(content->size);
	void *packed = malloc(room);
	size_t n = packed ? ZSTD_compress(packed, room, content->data, content->size, ZSTD_LEVEL)
			  : 0;

	if (!packed || ZSTD_isError(n) || content->failed) {
		b->failed = true;
	} else {
		blob_u32(b, (uint32_t)n);
		blob_u32(b, (uint32_t)content->size);
		blob_put(b, packed, n);
		section_end(b, at);
	}
	free(packed);
	free(content->data);
	*content = (struct blob){ 0 };
	return at;
}

static void put_option(struct blob *b, uint16_t id, const void *data, uint32_t size)
{
	blob_u16(b, id);
	blob_u32(b, size);
	blob_put(b, data, size);
}

static void put_text_option(struct blob *b, uint16_t id, const char *text)
{
	put_option(b, id, text, (uint32_t)strlen(text) + 1);
}

static void put_offset_option(struct blob *b, uint16_t id, uint64_t offset)
{
	put_option(b, id, &offset, sizeof(offset));
}

/* The options that both versions have. */
static void put_options(struct blob *b, const struct trace_dat_setup *setup,
			struct trace_dat_head *head)
{
	static const char empty_stat[TRACE_DAT_STAT_BYTES];
	char clock[40];

	(void)snprintf(clock, sizeof(clock), "[%s]", setup->clock);
	put_text_option(b, ID_TRACECLOCK, clock);
	put_text_option(b, ID_UNAME, setup->uname);
	put_text_option(b, ID_VERSION, "tlbtrace " TLBTRACE_VERSION);
	put_option(b, ID_CPUCOUNT, &setup->cpus, sizeof(setup->cpus));
	head->stats_at = b->size + 6;
	for (uint32_t i = 0; i < setup->cpus; i++)
		put_option(b, ID_CPUSTAT, empty_stat, sizeof(empty_stat));
}

/* The top buffer, so that programs show its events without naming an instance. */
static void put_buffer_option(struct blob *b, const struct trace_dat_setup *setup,
			      struct trace_dat_head *head)
{
	uint32_t size = (uint32_t)(8 + 1 + strlen(setup->clock) + 1 + 4 + 4) + 20 * setup->cpus;
	uint64_t section_at = b->size + 6 + size + 14; /* behind this option and DONE */

	blob_u16(b, ID_BUFFER);
	blob_u32(b, size);
	blob_u64(b, section_at);
	blob_text(b, "");
	blob_text(b, setup->clock);
	blob_u32(b, setup->subbuf_size);
	blob_u32(b, setup->cpus);
	head->cpus_at = b->size;
	for (uint32_t i = 0; i < setup->cpus; i++) {
		blob_u32(b, i);
		/* Where nothing was recorded. An offset of 0 would be taken for the file's header. */
		blob_u64(b, section_at + 16);
		blob_u64(b, 0);
	}
}

static void head_v7(struct blob *b, const struct trace_dat_setup *setup, struct trace_dat_head *head)
{
	struct blob content = { 0 };
	uint64_t headers, ftrace, events, kallsyms, printk;
	size_t options_at, section;

	blob_text(b, "zstd");
	blob_text(b, ZSTD_versionString());
	options_at = b->size;
	blob_u64(b, 0);
	put_headers(&content);
	headers = put_section(b, ID_HEADER_INFO, "headers", &content);
	put_ftrace_formats(&content);
	ftrace = put_section(b, ID_FTRACE_EVENTS, "ftrace events", &content);
	put_event_formats(&content, setup);
	events = put_section(b, ID_EVENT_FORMATS, "events format", &content);
	put_kallsyms(&content);
	kallsyms = put_section(b, ID_KALLSYMS, "kallsyms", &content);
	put_printk(&content);
	printk = put_section(b, ID_PRINTK, "printk", &content);
	blob_put(&content, strings, sizeof(strings));
	(void)put_section(b, ID_STRINGS, "strings", &content);
	blob_patch_u64(b, options_at, b->size);
	section = section_begin(b, ID_OPTIONS, false, "options");
	put_offset_option(b, ID_HEADER_INFO, headers);
	put_offset_option(b, ID_FTRACE_EVENTS, ftrace);
	put_offset_option(b, ID_EVENT_FORMATS, events);
	put_offset_option(b, ID_KALLSYMS, kallsyms);
	put_offset_option(b, ID_PRINTK, printk);
	put_options(b, setup, head);
	put_buffer_option(b, setup, head);
	head->next_options_at = b->size + 6;
	put_offset_option(b, ID_OPTIONS, 0);
	section_end(b, section);
	head->section_at = section_begin(b, ID_BUFFER, true, "buffer flyrecord");
}

static void head_v6(struct blob *b, const struct trace_dat_setup *setup, struct trace_dat_head *head)
{
	put_headers(b);
	put_ftrace_formats(b);
	put_event_formats(b, setup);
	put_kallsyms(b);
	put_printk(b);
	/* Readers pass over empty lines. */
	blob_u64(b, TRACE_DAT_CMDLINES_BYTES);
	head->cmdlines_at = b->size;
	blob_fill(b, '\n', TRACE_DAT_CMDLINES_BYTES);
	blob_u32(b, setup->cpus);
	blob_text(b, "options  ");
	put_options(b, setup, head);
	blob_u16(b, 0);
	blob_text(b, "flyrecord");
	head->cpus_at = b->size;
	blob_fill(b, 0, 16 * (size_t)setup->cpus);
	blob_u64(b, strlen(setup->clock) + 2);
	blob_put(b, "[", 1);
	blob_put(b, setup->clock, strlen(setup->clock));
	blob_put(b, "]", 1);
}

void trace_dat_head(struct blob *b, const struct trace_dat_setup *setup, struct trace_dat_head *head)
{
	*head = (struct trace_dat_head){ 0 };
	put_initial(b, setup);
	if (setup->version == 6)
		head_v6(b, setup, head);
	else
		head_v7(b, setup, head);
}

uint64_t trace_dat_cmdlines(struct blob *b, const char *text, uint64_t at)
{
	struct blob content = { 0 };
	size_t options;

	blob_u64(&content, strlen(text));
	blob_put(&content, text, strlen(text));
	(void)put_section(b, ID_CMDLINES, "command lines", &content);
	options = section_begin(b, ID_OPTIONS, false, "options");
	put_offset_option(b, ID_CMDLINES, at);
	put_offset_option(b, ID_OPTIONS, 0);
	section_end(b, options);
	return options;
}
