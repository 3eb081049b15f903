#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""manifest.py TLBTRACE FOLDER - what `info` finds, against what the MANIFEST.tsv files there know.

Per trace and parameter the value must be equal to the manifest's, or the interval contain it; and
where no event was lost the recorded policy replays 99.5 % of the flushes exactly, totals within 0.5 %.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

SHARE = 0.995
TOTALS = 0.005


def rows(folder):
    """(path, row) of every trace of every manifest; archives are no traces."""
    for manifest in sorted(folder.rglob("MANIFEST.tsv")):
        with open(manifest, newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                path = manifest.parent / row["file"]
                if path.suffix in (".dat", ".data"):
                    yield path, row


def release(row):
    found = re.search(r"(\d+)\.(\d+)", row["kernel"])
    return int(found[1]) * 1000 + int(found[2])


def power_parameters(row):
    """Parameters that a row of a POWER manifest tells."""
    power10 = "POWER10" in row["machine_cpus"]
    return {
        "ceiling": int(row["ceiling"]),
        "local-ceiling": int(row["local_ceiling"]),
        "page-size": int(row["page_size"]),
        "tlbie": "on" if row["tlbie_enabled"] == "Y" else "off",
        "fixups": "none" if power10 else "erat+stq",
        "sets": 1 if power10 and release(row) >= 5011 else 128,
    }


def x86_parameters(row):
    """The ceiling stands in a column or in the scenario's name; mainline's is 33."""
    named = re.search(r"ceil(\d+)", row["scenario"])
    text = row.get("ceiling") or (named[1] if named else "33")
    return {"ceiling": int(text)} if text.isdigit() else {}


FIXUPS = ["none", "erat", "erat+stq", "old"]


def order(value):
    return FIXUPS.index(value) if value in FIXUPS else value


def agrees(fact, value):
    if "value" in fact:
        return fact["value"] == value
    low = order(fact["lo"]) <= order(value)
    return low and ("hi" not in fact or order(value) <= order(fact["hi"]))


def misfits(result, known):
    """One line for each parameter that is not what is known."""
    for key, value in known.items():
        fact = result["model"][key]
        if not agrees(fact, value):
            yield f"{key}: {value} in the manifest, found {json.dumps(fact)}"
        if "value" not in fact and key not in result["open"]:
            yield f"{key}: an interval, and nothing says what would tell"


def infidelities(result):
    fidelity = result["fidelity"]
    if fidelity["flushes"] and fidelity["exact"] < SHARE * fidelity["flushes"]:
        yield f"{fidelity['exact']} of {fidelity['flushes']} flushes replay exactly"
    for key, counter in fidelity["counters"].items():
        if abs(counter["replayed"] - counter["recorded"]) > TOTALS * counter["recorded"]:
            yield f"{key}: recorded {counter['recorded']}, replayed {counter['replayed']}"


def is_whole(path, result):
    return not path.name.startswith("lost") and result["quality"]["lost_events"] == 0


def complaints(tlbtrace, path, row):
    run = subprocess.run([tlbtrace, "info", "-q", "--format=json", path], capture_output=True)
    if run.returncode:
        return [run.stderr.decode(errors="replace").strip()]
    result = json.loads(run.stdout)["results"][0]
    power = "tlbie_enabled" in row
    if result["input"].get("mmu") == "hash" or not result["recorded"] or not result["has"]["flush_records"]:
        return []
    said = list(misfits(result, power_parameters(row) if power else x86_parameters(row)))
    if is_whole(path, result):
        said += infidelities(result)
    return said


def main():
    folder = pathlib.Path(sys.argv[2])
    failed = traces = 0
    for path, row in rows(folder):
        traces += 1
        for said in complaints(sys.argv[1], path, row):
            failed += 1
            print(f"{path.relative_to(folder)}: {said}")
    print(f"{traces} traces, {failed} complaints")
    return 1 if failed or traces == 0 else 0


sys.exit(main())
