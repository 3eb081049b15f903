/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_decode.c - the kernel's record of a trace event, turned into a struct event. */
#include "analyze/event_decode.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/bytes.h"

#define PROBE_FN_UNKNOWN 255
#define TRACE_FLAG_HARDIRQ 0x08 /* include/linux/trace_events.h */
#define TRACE_FLAG_SOFTIRQ 0x10

/* A record with its format; its length was checked against format->min_len. */
struct record {
	const struct event_format *format;
	const uint8_t *data;
	uint32_t len;
	bool big_endian;
};

int event_decoder_init(struct event_decoder *decoder, const struct event_formats *formats,
		       struct symbol_finder symbols)
{
	size_t n = formats->n ? formats->n : 1;

	*decoder = (struct event_decoder){ .formats = formats, .symbols = symbols };
	decoder->counts = calloc(n, sizeof(*decoder->counts));
	decoder->probe_fn = malloc(n);
	if (!decoder->counts || !decoder->probe_fn) {
		event_decoder_free(decoder);
		return -1;
	}
	memset(decoder->probe_fn, PROBE_FN_UNKNOWN, n);
	return 0;
}

void event_decoder_free(struct event_decoder *decoder)
{
	free(decoder->counts);
	free(decoder->probe_fn);
	decoder->counts = NULL;
	decoder->probe_fn = NULL;
}

static inline uint64_t load_field(const uint8_t *data, struct event_field field, bool big_endian)
{
	uint64_t v = load_uint(data + field.at, field.size, big_endian);
	unsigned int unused = 64 - 8 * (unsigned int)field.size;

	if (!field.is_signed || !field.size)
		return v;
	return (uint64_t)((int64_t)(v << unused) >> unused);
}

static inline uint64_t get(const struct record *rec, unsigned int field)
{
	return load_field(rec->data, rec->format->fields[field], rec->big_endian);
}

static inline bool has(const struct record *rec, unsigned int field)
{
	return rec->format->fields[field].size;
}

/* Where a text lies in its record; length 0 if it is not inside. */
static const uint8_t *find_text(const struct record *rec, const struct event_text *text,
				uint32_t *len)
{
	uint32_t at = text->at, loc;

	*len = 0;
	if (text->kind == TEXT_ARRAY) {
		*len = text->size;
	} else if (text->kind == TEXT_REST) {
		*len = rec->len - at;
	} else if (text->kind != TEXT_NONE) {
		loc = load_u32(rec->data + at, rec->big_endian);
		at = (loc & 0xffff) + (text->kind == TEXT_REL_LOC ? at + 4 : 0);
		if (at <= rec->len && loc >> 16 <= rec->len - at)
			*len = loc >> 16;
	}
	return rec->data + (*len ? at : 0);
}

static void get_comm(const struct record *rec, unsigned int which, char to[COMM_LEN])
{
	const struct event_text *text = &rec->format->texts[which];
	const uint8_t *from;
	uint32_t len;

	if (text->kind == TEXT_ARRAY && text->size == COMM_LEN) {
		memcpy(to, rec->data + text->at, COMM_LEN);
		to[COMM_LEN - 1] = '\0';
		return;
	}
	from = find_text(rec, text, &len);
	text_copy(to, COMM_LEN, from, len);
}

static void decode_tlbie(const struct record *rec, struct tlbie_record *tlbie)
{
	tlbie->lpid = (uint32_t)get(rec, F_TLBIE_LPID);
	tlbie->local = (uint8_t)get(rec, F_TLBIE_LOCAL);
	tlbie->rb = get(rec, F_TLBIE_RB);
	tlbie->rs = get(rec, F_TLBIE_RS);
	tlbie->ric = (uint8_t)get(rec, F_TLBIE_RIC);
	tlbie->prs = (uint8_t)get(rec, F_TLBIE_PRS);
	tlbie->r = (uint8_t)get(rec, F_TLBIE_R);
}

static inline uint64_t tlbie_word(const uint8_t *data, unsigned int field, bool big_endian)
{
	return load_u64(data + TLBIE_WORDS_AT + (size_t)8 * field, big_endian);
}

/* By far the most frequent record there is. Inlined for either byte order. */
static inline __attribute__((always_inline)) void decode_tlbie_words(const uint8_t *data,
								     bool big_endian,
								     struct tlbie_record *tlbie)
{
	tlbie->lpid = (uint32_t)tlbie_word(data, F_TLBIE_LPID, big_endian);
	tlbie->local = (uint8_t)tlbie_word(data, F_TLBIE_LOCAL, big_endian);
	tlbie->rb = tlbie_word(data, F_TLBIE_RB, big_endian);
	tlbie->rs = tlbie_word(data, F_TLBIE_RS, big_endian);
	tlbie->ric = (uint8_t)tlbie_word(data, F_TLBIE_RIC, big_endian);
	tlbie->prs = (uint8_t)tlbie_word(data, F_TLBIE_PRS, big_endian);
	tlbie->r = (uint8_t)tlbie_word(data, F_TLBIE_R, big_endian);
}

static void decode_x86_flush(const struct record *rec, struct x86_flush_record *x86)
{
	struct event_field pages = rec->format->fields[F_X86_PAGES];

	x86->reason = (int32_t)get(rec, F_X86_REASON);
	pages.is_signed = true; /* declared unsigned long, but TLB_FLUSH_ALL is -1 */
	x86->pages = (int64_t)load_field(rec->data, pages, rec->big_endian);
}

static void decode_switch(const struct record *rec, struct switch_record *sw)
{
	sw->prev_tid = (int32_t)get(rec, F_SWITCH_PREV);
	sw->next_tid = (int32_t)get(rec, F_SWITCH_NEXT);
	sw->prev_state = (int64_t)get(rec, F_SWITCH_STATE);
	get_comm(rec, 0, sw->prev_comm);
	get_comm(rec, 1, sw->next_comm);
}

static void decode_task(const struct record *rec, struct event *ev)
{
	struct task_record *task = &ev->task;
	uint64_t extra = get(rec, F_TASK_EXTRA);
	uint8_t how = rec->format->how;

	/* task_rename has no pid since v6.17: a task only renames itself there. */
	task->tid = has(rec, F_TASK_PID) ? (int32_t)get(rec, F_TASK_PID) : ev->tid;
	task->old_tid = how == HOW_EXEC && has(rec, F_TASK_EXTRA) ? (int32_t)extra : task->tid;
	task->flags = how == HOW_NEWTASK ? extra : 0;
	task->dest_cpu = how == HOW_MIGRATE ? (uint32_t)extra : 0;
	get_comm(rec, 0, task->comm);
}

static void decode_syscall(const struct record *rec, struct syscall_record *sys)
{
	sys->nr = rec->format->nr;
	sys->start = get(rec, F_SYS_START);
	sys->len = get(rec, F_SYS_LEN);
}

static void decode_ipc(const struct record *rec, struct syscall_record *sys)
{
	struct syscall_args args = syscall_of_ipc(get(rec, F_IPC_CALL));

	sys->nr = args.nr;
	sys->start = args.start == IPC_ARG_PTR ? get(rec, F_IPC_PTR) : 0;
	sys->len = 0;
}

static uint64_t raw_arg(const struct record *rec, int which)
{
	const struct event_field *args = &rec->format->fields[F_RAW_ARGS];

	if (which < 0 || !args->size)
		return 0;
	return load_uint(rec->data + args->at + (size_t)which * args->size, args->size,
			 rec->big_endian);
}

static void decode_raw_syscall(const struct record *rec, const char *machine,
			       struct syscall_record *sys)
{
	struct syscall_args args = syscall_by_number(machine, (int64_t)get(rec, F_RAW_ID));

	if (args.nr == SYSCALL_IPC && has(rec, F_RAW_ARGS))
		args = syscall_of_ipc(raw_arg(rec, IPC_ARG_CALL));
	sys->nr = args.nr;
	sys->start = raw_arg(rec, args.start);
	sys->len = raw_arg(rec, args.len);
}

static void decode_ipi_cpu(const struct record *rec, struct ipi_record *ipi)
{
	uint64_t cpu = get(rec, F_IPI_CPU);

	ipi->cpus = cpu < 64 ? UINT64_C(1) << cpu : 0;
	ipi->targets = 1;
	ipi->callsite = get(rec, F_IPI_CALLSITE);
}

/* A cpumask is an array of the kernel's longs, CPU 0 the lowest bit of the first. */
static void decode_ipi_mask(const struct record *rec, uint32_t long_size, struct ipi_record *ipi)
{
	uint32_t len, bits = 0;
	const uint8_t *mask = find_text(rec, &rec->format->texts[0], &len);

	ipi->cpus = 0;
	ipi->targets = 0;
	for (uint32_t at = 0; at + long_size <= len; at += long_size) {
		uint64_t word = load_uint(mask + at, long_size, rec->big_endian);

		if (bits < 64)
			ipi->cpus |= word << bits;
		bits += 8 * long_size;
		ipi->targets += (uint32_t)__builtin_popcountll(word);
	}
	ipi->callsite = get(rec, F_IPI_CALLSITE);
}

static void decode_marker(const struct record *rec, struct event *ev)
{
	uint32_t len;
	const uint8_t *text = find_text(rec, &rec->format->texts[0], &len);

	len = (uint32_t)strnlen((const char *)text, len);
	if (len && text[len - 1] == '\n')
		len--;
	ev->marker = (const char *)text;
	ev->marker_len = len < UINT16_MAX ? (uint16_t)len : UINT16_MAX;
}

/* The function a probe is on, where its event's name did not say: by its address, once per CPU. */
static enum request_fn probe_function(struct event_decoder *decoder, const struct record *rec)
{
	const struct event_format *format = rec->format;
	size_t index = (size_t)(format - decoder->formats->list);
	uint8_t *fn = &decoder->probe_fn[index];
	const struct symbol_finder *symbols = &decoder->symbols;
	char name[128];

	if (format->fn != REQUEST_OTHER)
		return format->fn;
	if (*fn != PROBE_FN_UNKNOWN)
		return *fn;
	*fn = REQUEST_OTHER;
	if (symbols->find && has(rec, F_REQ_IP) &&
	    symbols->find(symbols->context, get(rec, F_REQ_IP), name, sizeof(name)))
		*fn = (uint8_t)request_by_name(name, format->is_return);
	return *fn;
}

/* The members that are a number of one field. */
static void request_numbers(const struct record *rec, struct request_record *req)
{
	static const struct {
		uint8_t field;
		uint16_t has;
	} members[] = {
		{ F_REQ_MM, REQUEST_HAS_MM },	      { F_REQ_PSIZE, REQUEST_HAS_PSIZE },
		{ F_REQ_PWC, REQUEST_HAS_PWC },	      { F_REQ_PAGE_SIZE, REQUEST_HAS_PAGE_SIZE },
		{ F_REQ_PID, REQUEST_HAS_HW_PID },    { F_REQ_ACTIVE, REQUEST_HAS_ACTIVE },
		{ F_REQ_CPUS, REQUEST_HAS_CPUS },     { F_REQ_USERS, REQUEST_HAS_USERS },
		{ F_REQ_FULLMM, REQUEST_HAS_FULLMM }, { F_REQ_BITS, REQUEST_HAS_BITS },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (has(rec, members[i].field))
			req->has |= members[i].has;
	req->mm = get(rec, F_REQ_MM);
	req->psize = (int32_t)get(rec, F_REQ_PSIZE);
	req->pwc = get(rec, F_REQ_PWC);
	req->page_size = (uint32_t)get(rec, F_REQ_PAGE_SIZE);
	req->hw_pid = (uint32_t)get(rec, F_REQ_PID);
	req->active_cpus = (int32_t)get(rec, F_REQ_ACTIVE);
	req->cpus = get(rec, F_REQ_CPUS);
	req->users = (int32_t)get(rec, F_REQ_USERS);
	req->fullmm = get(rec, F_REQ_FULLMM);
	req->bits = (uint16_t)get(rec, F_REQ_BITS);
	req->type = (uint32_t)get(rec, F_REQ_TYPE);
}

static void decode_request(struct event_decoder *decoder, const struct record *rec,
			   struct request_record *req)
{
	uint64_t stride;

	*req = (struct request_record){ .fn = probe_function(decoder, rec) };
	request_numbers(rec, req);
	if (has(rec, F_REQ_START) && has(rec, F_REQ_END)) {
		req->has |= REQUEST_HAS_RANGE;
		req->start = get(rec, F_REQ_START);
		req->end = get(rec, F_REQ_END);
	} else if (has(rec, F_REQ_ADDR)) {
		req->has |= REQUEST_HAS_RANGE;
		req->start = req->end = get(rec, F_REQ_ADDR);
	}
	/* "flags" is the gather's word of bits, but a VMA's flags on other functions. */
	if (req->fn == REQUEST_GATHER && !has(rec, F_REQ_BITS) && has(rec, F_REQ_FLAGS)) {
		req->has |= REQUEST_HAS_BITS;
		req->bits = (uint16_t)get(rec, F_REQ_FLAGS);
	}
	/* x86: the logarithm of the page size. */
	stride = get(rec, F_REQ_STRIDE);
	if (has(rec, F_REQ_STRIDE) && stride < 32) {
		req->has |= REQUEST_HAS_PAGE_SIZE;
		req->page_size = UINT32_C(1) << stride;
	}
}

/* Each byte order has its own code: nothing is asked for each word. */
static inline void decode_words(const struct record *rec, struct tlbie_record *out)
{
	if (rec->big_endian)
		decode_tlbie_words(rec->data, true, out);
	else
		decode_tlbie_words(rec->data, false, out);
}

static void decode_csd(const struct record *rec, struct csd_record *out)
{
	*out = (struct csd_record){
		.csd = get(rec, F_CSD),
		.func = get(rec, F_CSD_FUNC),
		.cpu = (uint32_t)get(rec, F_CSD_CPU),
	};
}

static void decode_payload(struct event_decoder *decoder, const struct record *rec, struct event *ev)
{
	switch ((enum event_how)rec->format->how) {
	case HOW_TLBIE:
		decode_tlbie(rec, &ev->tlbie);
		break;
	case HOW_TLBIE_WORDS:
		decode_words(rec, &ev->tlbie);
		break;
	case HOW_X86_FLUSH:
		decode_x86_flush(rec, &ev->x86);
		break;
	case HOW_SWITCH:
		decode_switch(rec, &ev->sw);
		break;
	case HOW_NEWTASK:
	case HOW_FORK:
	case HOW_EXEC:
	case HOW_EXIT:
	case HOW_RENAME:
	case HOW_MIGRATE:
		decode_task(rec, ev);
		break;
	case HOW_SYSCALL:
		decode_syscall(rec, &ev->sys);
		break;
	case HOW_SYSCALL_IPC:
		decode_ipc(rec, &ev->sys);
		break;
	case HOW_SYSCALL_RAW:
		decode_raw_syscall(rec, decoder->formats->machine, &ev->sys);
		break;
	case HOW_REQUEST:
		decode_request(decoder, rec, &ev->request);
		break;
	case HOW_CSD:
		decode_csd(rec, &ev->csd);
		break;
	case HOW_CPUHP:
		ev->offline_cpu = (uint32_t)get(rec, F_CPUHP_CPU);
		break;
	case HOW_IPI_CPU:
		decode_ipi_cpu(rec, &ev->ipi);
		break;
	case HOW_IPI_MASK:
		decode_ipi_mask(rec, decoder->formats->long_size, &ev->ipi);
		break;
	case HOW_MARKER:
		decode_marker(rec, ev);
		break;
	case HOW_HCALL:
	case HOW_PLAIN:
	case HOW_COUNT:
		break;
	}
}

/*
 * Whether the record is one that matters. A CPU that goes down passes its steps with the target
 * CPUHP_OFFLINE (0) from takedown_cpu() on, when no task runs there any more (kernel/cpu.c).
 */
static bool matters(const struct record *rec)
{
	switch ((enum event_how)rec->format->how) {
	case HOW_COUNT:
		return false;
	case HOW_CPUHP:
		return get(rec, F_CPUHP_TARGET) == 0;
	case HOW_HCALL:
		return get(rec, F_HCALL_OPCODE) == H_RPT_INVALIDATE;
	default:
		return true;
	}
}

static bool unknown_record(struct event_decoder *decoder, uint64_t offset)
{
	if (!decoder->unknown++)
		decoder->unknown_offset = offset;
	return false;
}

/* Index plus 1 of the format of the record, whose id is there; 0 none. */
static inline uint32_t find_format(const struct event_formats *formats, const uint8_t *data)
{
	uint32_t id = formats->usual
			      ? load_u16(data, formats->big_endian)
			      : (uint32_t)load_field(data, formats->type, formats->big_endian);

	return id <= EVENT_MAX_ID ? formats->by_id[id] : 0;
}

/* common_flags and common_pid. */
static inline void decode_common(const struct event_formats *formats, const uint8_t *data,
				 struct event *ev)
{
	bool big_endian = formats->big_endian, usual = formats->usual;
	uint32_t flags = usual ? data[2] : (uint32_t)load_field(data, formats->flags, big_endian);

	ev->tid = (int32_t)(usual ? load_u32(data + 4, big_endian)
				  : load_field(data, formats->pid, big_endian));
	ev->flags = (uint8_t)((flags & TRACE_FLAG_HARDIRQ ? EVENT_HARDIRQ : 0) |
			      (flags & TRACE_FLAG_SOFTIRQ ? EVENT_SOFTIRQ : 0));
}

bool event_decode(struct event_decoder *decoder, const uint8_t *data, uint32_t len, uint64_t offset,
		  struct event *ev)
{
	const struct event_formats *formats = decoder->formats;
	struct record rec;
	uint32_t index;

	decoder->records++;
	if (len < (uint32_t)formats->type.at + formats->type.size)
		return unknown_record(decoder, offset);
	index = find_format(formats, data);
	if (!index || len < formats->list[index - 1].min_len)
		return unknown_record(decoder, offset);
	decoder->counts[index - 1]++;
	rec = (struct record){ &formats->list[index - 1], data, len, formats->big_endian };
	if (!matters(&rec))
		return false;
	ev->kind = rec.format->kind;
	ev->offset = offset;
	ev->stack = 0;
	decode_common(formats, data, ev);
	decode_payload(decoder, &rec, ev);
	return true;
}

bool event_decode_repeat(const struct event_decoder *decoder, const uint8_t *data, uint32_t len,
			 uint64_t step, struct repeat *repeat)
{
	const struct event_formats *formats = decoder->formats;
	uint32_t index = len == REPEAT_BYTES ? find_format(formats, data) : 0;
	const struct event_format *format = index ? &formats->list[index - 1] : NULL;

	if (!format || format->how != HOW_TLBIE_WORDS || format->fields[F_TLBIE_RB].at % 8)
		return false;
	repeat->word = format->fields[F_TLBIE_RB].at / 8;
	repeat->big_endian = formats->big_endian;
	repeat->step = step;
	repeat_start(repeat, data);
	return true;
}

uint32_t event_decode_stack(const struct event_formats *formats, const uint8_t *data, uint32_t len,
			    uint64_t *ips, uint32_t max)
{
	uint32_t size = formats->long_size == 4 ? 4 : 8, n = 0;
	uint32_t index = formats->stack_at && len > formats->stack_at ? find_format(formats, data)
								      : 0;

	if (!index || formats->list[index - 1].id != formats->stack_id)
		return 0;
	for (uint32_t at = formats->stack_at; at + size <= len && n < max; at += size) {
		uint64_t ip = load_uint(data + at, size, formats->big_endian);

		if (ip == (size == 4 ? UINT32_MAX : UINT64_MAX))
			break;
		ips[n++] = ip;
	}
	return n;
}

void event_decode_count(struct event_decoder *decoder, const uint8_t *data, uint64_t n)
{
	decoder->records += n;
	decoder->counts[find_format(decoder->formats, data) - 1] += n;
}
