# The command lines of README.md and docs/*.md, run as they stand: how each ends and begins.
docs=$(dirname "$0")/../..
ln -s "$DATA/p9_shm_c34.dat" trace.dat
ln -s "$DATA/p9_shm_c34.dat" before.dat
ln -s "$DATA/p9_shm_c31.dat" after.dat
ln -s "$DATA/p9_shm_c31.dat" after2.dat
export LINES=24 COLUMNS=80
tlbtrace() { "$TLBTRACE" "$@"; }

# Indented lines, without what the prompt's reader is told behind #; recording needs another machine.
grep -hE '^    (tlbtrace|sqlite3) ' "$docs"/README.md "$docs"/docs/{faq,export}.md |
	sed -E 's/^ +//; s/ +#.*//' | awk '!seen[$0]++' | grep -vE '^tlbtrace record|^sqlite3' |
	while IFS= read -r line; do
		echo "\$ $line"
		status=0
		eval "$line" >out 2>err </dev/null || status=$?
		cat out err | head -4
		[ $status = 0 ] || echo "exit $status"
	done
ls -- *.db *.json
