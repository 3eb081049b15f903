/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_file.c - what a perf.data says about itself: attributes, features, event formats. */
#include "analyze/perf_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/perf_tracing.h"

#define HEADER_BYTES 104 /* struct perf_file_header */
#define FEATURES 256
#define UPDATE_NAME 2 /* PERF_EVENT_UPDATE__NAME */

enum feature {
	FEATURE_TRACING_DATA = 1,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_EVENT_DESC = 12,
	FEATURE_COMPRESSED = 27,
};

struct section {
	uint64_t at;
	uint64_t size;
};

bool perf_file_matches(const uint8_t *head, uint64_t len, bool *big_endian)
{
	if (len < PERF_PIPE_HEADER)
		return false;
	*big_endian = !memcmp(head, "2ELIFREP", 8);
	return *big_endian || !memcmp(head, "PERFILE2", 8);
}

bool perf_file_is_pipe(const uint8_t *head, uint64_t len)
{
	bool big_endian;

	return perf_file_matches(head, len, &big_endian) &&
	       load_u64(head + 8, big_endian) == PERF_PIPE_HEADER;
}

void perf_file_free(struct perf_file *file)
{
	perf_attrs_free(&file->attrs);
	event_formats_free(&file->formats);
	tid_table_free(&file->comms);
	free(file->owned);
	*file = (struct perf_file){ 0 };
}

/* ---- features ---- */

/* u32 size, then so many bytes that end with NULs. */
static void take_string(struct bytes *b, char *to, size_t size)
{
	uint32_t len = bytes_u32(b);
	const uint8_t *text = bytes_take(b, len);

	if (text)
		text_copy(to, size, text, strnlen((const char *)text, len));
}

static void skip_bytes(struct bytes *b, uint64_t n)
{
	bytes_take(b, n);
}

/* The names of the events, in the order of the attributes. */
static void take_names(struct perf_file *file, struct bytes b)
{
	uint32_t n = bytes_u32(&b);
	uint32_t attr_size = bytes_u32(&b);

	for (uint32_t i = 0; i < n && i < file->attrs.n && !b.failed; i++) {
		struct perf_attr *attr = &file->attrs.list[i];
		uint32_t ids;

		skip_bytes(&b, attr_size);
		ids = bytes_u32(&b);
		take_string(&b, attr->name, sizeof(attr->name));
		skip_bytes(&b, UINT64_C(8) * ids);
	}
}

static void take_feature(struct perf_file *file, uint32_t id, struct bytes b)
{
	switch (id) {
	case FEATURE_OSRELEASE:
		take_string(&b, file->kernel, sizeof(file->kernel));
		break;
	case FEATURE_ARCH:
		take_string(&b, file->arch, sizeof(file->arch));
		break;
	case FEATURE_VERSION:
		take_string(&b, file->version, sizeof(file->version));
		break;
	case FEATURE_NRCPUS: /* present, then online */
		file->cpus = bytes_u32(&b);
		break;
	case FEATURE_EVENT_DESC:
		take_names(file, b);
		break;
	case FEATURE_COMPRESSED: /* version, type, level, ratio, mmap_len */
		skip_bytes(&b, 16);
		file->ring_bytes = bytes_u32(&b);
		break;
	case FEATURE_TRACING_DATA:
		file->tracing = b;
		break;
	default:
		break;
	}
}

/* ---- a seekable file ---- */

static struct section take_section(struct bytes *b)
{
	struct section s;

	s.at = bytes_u64(b);
	s.size = bytes_u64(b);
	return s;
}

static int cut(const struct perf_file *file, uint64_t size, const char *what, struct error *err)
{
	return error_set(err, ERROR_INPUT,
			 "%s: the file ends at offset %" PRIu64 ", inside its %s: "
			 "its records cannot be read",
			 file->name, size, what);
}

static int parse_attr(struct perf_file *file, const struct bytes *whole, struct bytes *b,
		      uint64_t attr_size)
{
	struct bytes attr = bytes_slice(b, b->at, attr_size);
	struct bytes ids;
	struct section s;

	bytes_take(b, attr_size);
	s = take_section(b);
	if (b->failed || perf_attrs_add(&file->attrs, &attr))
		return -1;
	ids = bytes_slice(whole, s.at, s.size);
	if (ids.failed)
		damage_note(&file->damage,
			    "the ids of an event, at offset %" PRIu64 ", are outside the file",
			    s.at);
	return perf_attrs_add_ids(&file->attrs, file->attrs.n - 1, &ids);
}

static int parse_attrs(struct perf_file *file, const struct bytes *whole, struct section s,
		       uint64_t entry, struct error *err)
{
	struct bytes b = bytes_slice(whole, s.at, s.size);

	if (b.failed)
		return cut(file, whole->size, "event attributes", err);
	if (entry <= 16 || s.size / entry == 0)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset %" PRIu64 ": no event attributes: "
				 "its records cannot be read",
				 file->name, s.at);
	for (uint64_t n = s.size / entry; n; n--)
		if (parse_attr(file, whole, &b, entry - 16))
			return error_set(err, ERROR_INPUT,
					 "%s: at offset %" PRIu64 ": bad event attribute",
					 file->name, bytes_offset(&b));
	return 0;
}

/*
 * The features' bits are an array of the recording machine's longs. Every perf writes the host name:
 * where its bit is not in the right place the longs were of 32 bits and their order is big-endian.
 */
static void take_bits(struct bytes *b, uint64_t bits[FEATURES / 64])
{
	for (int i = 0; i < FEATURES / 64; i++)
		bits[i] = bytes_u64(b);
	if (!b->big_endian || bits[0] >> FEATURE_HOSTNAME & 1)
		return;
	for (int i = 0; i < FEATURES / 64; i++)
		bits[i] = bits[i] << 32 | bits[i] >> 32;
}

/* A table of sections at the end of the records, one for each feature that is there. */
static void parse_features(struct perf_file *file, const struct bytes *whole, uint64_t at,
			   const uint64_t bits[FEATURES / 64])
{
	struct bytes table = bytes_slice(whole, at, at < whole->size ? whole->size - at : 0);

	for (uint32_t id = 0; id < FEATURES; id++) {
		struct bytes content;
		struct section s;

		if (!(bits[id / 64] >> (id % 64) & 1))
			continue;
		s = take_section(&table);
		content = bytes_slice(whole, s.at, s.size);
		if (!table.failed && !content.failed) {
			take_feature(file, id, content);
			continue;
		}
		damage_note(&file->damage,
			    "section %" PRIu32 " at offset %" PRIu64
			    " is outside the file (%" PRIu64 " bytes)",
			    id, table.failed ? at : s.at, whole->size);
		if (table.failed)
			return;
	}
}

static void set_data(struct perf_file *file, struct section data, uint64_t size)
{
	file->data_at = data.at < size ? data.at : size;
	file->data_end = data.size > size - file->data_at ? size : file->data_at + data.size;
	if (!data.size) {
		file->data_end = size;
		damage_note(&file->damage,
			    "the header says that there are no records: perf did not end well, and "
			    "what follows offset %" PRIu64 " is read",
			    data.at);
	} else if (data.at > size || data.size > size - data.at) {
		damage_note(&file->damage,
			    "ends at offset %" PRIu64 ", inside its records (%" PRIu64
			    " bytes at offset %" PRIu64 ")",
			    size, data.size, data.at);
	}
}

int perf_file_parse(struct perf_file *file, const uint8_t *data, uint64_t size, struct error *err)
{
	struct bytes whole = bytes_of(data, size, 0, file->big_endian);
	struct bytes b = whole;
	struct section attrs, records;
	uint64_t header, entry, bits[FEATURES / 64];

	skip_bytes(&b, 8); /* magic */
	header = bytes_u64(&b);
	entry = bytes_u64(&b);
	attrs = take_section(&b);
	records = take_section(&b);
	take_section(&b); /* event types: until v3.10 */
	take_bits(&b, bits);
	if (b.failed)
		return cut(file, size, "header", err);
	if (header != HEADER_BYTES)
		return error_set(err, ERROR_INPUT,
				 "%s: at offset 8: a header of %" PRIu64 " bytes is none of a "
				 "perf.data (%d, or %d in a pipe)",
				 file->name, header, HEADER_BYTES, PERF_PIPE_HEADER);
	if (parse_attrs(file, &whole, attrs, entry, err))
		return -1;
	set_data(file, records, size);
	if (records.size && records.at < size && records.size <= size - records.at)
		parse_features(file, &whole, records.at + records.size, bits);
	return 0;
}

/* ---- a pipe ---- */

static int describe_attr(struct perf_file *file, struct bytes b)
{
	if (perf_attrs_add(&file->attrs, &b)) {
		damage_note(&file->damage, "bad event attribute in the record at offset %" PRIu64,
			    b.origin - PERF_RECORD_HEADER);
		return 0;
	}
	return perf_attrs_add_ids(&file->attrs, file->attrs.n - 1, &b);
}

/* u64 type, u64 id, and for this type a name. */
static void describe_update(struct perf_file *file, struct bytes b)
{
	uint64_t type = bytes_u64(&b);
	uint64_t id = bytes_u64(&b);
	const uint8_t *text;

	if (b.failed || type != UPDATE_NAME)
		return;
	text = b.data + b.at;
	for (uint64_t i = 0; i < file->attrs.n_ids; i++) {
		struct perf_attr *attr = &file->attrs.list[file->attrs.ids[i].attr];

		if (file->attrs.ids[i].id != id)
			continue;
		text_copy(attr->name, sizeof(attr->name), text,
			  strnlen((const char *)text, bytes_left(&b)));
		return;
	}
}

static int describe_tracing(struct perf_file *file, const struct perf_record *rec)
{
	if (file->tracing.size || !rec->payload_size)
		return 0;
	file->owned = malloc(rec->payload_size);
	if (!file->owned)
		return -1;
	memcpy(file->owned, rec->payload, rec->payload_size);
	file->tracing = bytes_of(file->owned, rec->payload_size, rec->offset, file->big_endian);
	return 0;
}

int perf_file_describe(struct perf_file *file, const struct perf_record *rec)
{
	struct bytes b;
	uint64_t id;

	if (rec->type == PERF_TRACING_DATA)
		return describe_tracing(file, rec);
	if (rec->size <= PERF_RECORD_HEADER)
		return 0;
	b = bytes_of(rec->data + PERF_RECORD_HEADER, rec->size - PERF_RECORD_HEADER,
		     rec->offset + PERF_RECORD_HEADER, file->big_endian);
	if (rec->type == PERF_HEADER_ATTR)
		return describe_attr(file, b);
	if (rec->type == PERF_EVENT_UPDATE)
		describe_update(file, b);
	if (rec->type != PERF_HEADER_FEATURE)
		return 0;
	id = bytes_u64(&b);
	b = bytes_slice(&b, b.at, bytes_left(&b));
	if (!b.failed && id != FEATURE_TRACING_DATA && id < FEATURES)
		take_feature(file, (uint32_t)id, b);
	return 0;
}

/* ---- both ---- */

static bool has_tracepoints(const struct perf_attrs *attrs)
{
	for (uint32_t i = 0; i < attrs->n; i++)
		if (attrs->list[i].type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

static int finish_formats(struct perf_file *file, struct error *err)
{
	struct perf_tracing tracing = { .machine = file->arch };
	int status = perf_tracing_parse(&tracing, &file->tracing, &file->formats, &file->comms);

	if (status)
		return error_set(err, ERROR_ENVIRONMENT, "%s: out of memory", file->name);
	file->page_size = tracing.page_size;
	if (file->formats.unparsed)
		damage_note(&file->damage, "%" PRIu32 " event formats cannot be parsed",
			    file->formats.unparsed);
	if (tracing.cut)
		damage_note(&file->damage,
			    "the event formats at offset %" PRIu64 " end early or are damaged",
			    file->tracing.origin);
	if (file->formats.n || !has_tracepoints(&file->attrs))
		return 0;
	if (file->damage.places)
		return error_set(err, ERROR_INPUT,
				 "%s: no event formats, so its records cannot be decoded: %s",
				 file->name, file->damage.text);
	return error_set(err, ERROR_INPUT,
			 "%s: no event formats (section %d or record type %d), so its records "
			 "cannot be decoded",
			 file->name, FEATURE_TRACING_DATA, PERF_TRACING_DATA);
}

int perf_file_finish(struct perf_file *file, struct error *err)
{
	if (finish_formats(file, err))
		return -1;
	if (perf_attrs_finish(&file->attrs))
		return 0;
	return error_set(err, ERROR_INPUT,
			 "%s: its events have different layouts and no identifier, so its records "
			 "cannot be told apart",
			 file->name);
}
