// Columns of Arrow and Parquet files against their other readers:
//
//   node columns.cjs EXE [FILES]
//
// Random tables, with a fixed seed, written by apache-arrow (Arrow) and parquet-wasm (Parquet) and read again by both; FILES of each.
// Ends with 77 where one of the packages is missing; to have them: tests/oracle/node.sh.
const {spawn, spawnSync} = require('node:child_process');
const fs = require('node:fs'), os = require('node:os'), path = require('node:path'), assert = require('node:assert');

let arrow, parquet, library;
try {
  arrow = require('apache-arrow');
  parquet = require('parquet-wasm/node');
  library = process.env.SEQPOINT_DUCKDB || require.resolve('@duckdb/node-bindings-linux-x64/libduckdb.so');
} catch (error) {
  console.log('skipped: ' + error.message.split('\n')[0]);
  process.exit(77);
}

const exe = path.resolve(process.argv[2]), files = Number(process.argv[3] || 150);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'seqpoint-columns-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true}));

// --- random tables

let state = 7;
function below(n) {  // xorshift32
  state ^= state << 13, state ^= state >>> 17, state ^= state << 5;
  return (state >>> 0) % n;
}
const pick = (choices) => choices[below(choices.length)];
const some = (n, make) => Array.from({length: n}, make);
const sequence = () => some(pick([0, 1, 2, 5, 40]), () => below(50000));

const INTEGERS = ['Int8', 'Int16', 'Int32', 'Uint8', 'Uint16', 'Uint32', 'Int64', 'Uint64'];
const integers = (name) => (x) => x === null ? null : name.endsWith('64') ? BigInt(x) : x;
const item = (type) => new arrow.Field('item', type, true);
const int32 = new arrow.Int32(), nested = new arrow.List(item(int32));

/// A column: its type, a random value, and the length that such a value has.
function column(withDictionaries) {
  const count = (list) => list.length;
  const kinds = [
    () => { const name = pick(INTEGERS); return {type: new arrow[name](), value: () => integers(name)(below(127)), length: Number}; },
    () => ({type: new arrow.Float64(), value: () => below(1 << 20), length: Number}),
    () => ({type: new arrow.Float32(), value: () => below(1 << 20), length: Number}),
    () => ({type: new arrow.List(item(int32)), value: sequence, length: count}),
    () => ({type: new arrow.LargeList(item(int32)), value: sequence, length: count}),
    () => ({type: new arrow.List(item(new arrow.Utf8())), value: () => sequence().map(String), length: count}),
    () => ({type: new arrow.List(item(nested)), value: () => some(below(4), sequence), length: count}),
    () => ({type: new arrow.Dictionary(int32, new arrow.Int8()), value: () => below(90), length: Number}),
  ];
  return pick(withDictionaries ? kinds : kinds.slice(0, -1))();
}

/// Batches of a table whose column `seen` is to be read, and its lengths; null where there is none.
function table(withDictionaries) {
  const {type, value, length} = column(withDictionaries), nullable = below(3) === 0, batches = [], lengths = [];
  for (let left = 1 + below(4); left > 0; --left) {
    const rows = pick([0, 1, 7, 64, 300]);
    const values = some(rows, () => nullable && below(5) === 0 ? null : value());
    if (rows === 0 && left > 1) continue;
    const text = arrow.vectorFromArray(some(rows, () => 'text '.repeat(below(9))), new arrow.Utf8());
    const whole = new arrow.Table({before: text, seen: arrow.vectorFromArray(values, type), after: arrow.vectorFromArray(some(rows, () => below(9)), int32)});
    const from = below(3) === 0 ? below(rows + 1) : 0;
    batches.push(from > 0 ? whole.slice(from) : whole);
    lengths.push(...values.slice(from).map((v) => v === null ? null : length(v)));
  }
  return {table: batches.length === 1 ? batches[0] : batches[0].concat(...batches.slice(1)), type, lengths};
}

/// What another reader says that a column holds.
function lengths_of(read) {
  return Array.from(read.getChild('seen'), (v) => v === null ? null : typeof v === 'object' ? v.length : Number(v));
}

// --- our reader

function scan(file, ...options) {
  const done = spawnSync(exe, ['scan', '--lengths-only', '-q', file, ...options],
                         {cwd: folder, encoding: 'utf8', env: {...process.env, SEQPOINT_DUCKDB: library}});
  return {status: done.status, error: done.stderr, lengths: done.stdout.split('\n').slice(1, -1).map(Number)};
}

function compare(name, lengths, ...options) {
  const kept = lengths.filter((length) => length !== null), missing = kept.length < lengths.length;
  const strict = scan(name, '--length-field', 'seen', ...options);
  if (missing) {
    assert.strictEqual(strict.status, 3, name);
    assert.match(strict.error, /row \d+: is missing/, name);
  }
  const read = missing ? scan(name, '--length-field', 'seen', '--skip-missing', ...options) : strict;
  if (kept.length === 0) return assert.strictEqual(read.status, 3, name);
  assert.strictEqual(read.error, '', name);
  assert.deepStrictEqual(read.lengths, kept, name);
}

// --- what is tried

let rows = 0;
for (let i = 0; i < files; ++i) {
  const made = table(true), replaced = arrow.DataType.isDictionary(made.type) && made.table.batches.length > 1;
  const format = replaced ? 'stream' : pick(['stream', 'file']), bytes = arrow.tableToIPC(made.table, format), name = `a${i}.arrow`;
  fs.writeFileSync(path.join(folder, name), bytes);
  assert.deepStrictEqual(lengths_of(arrow.tableFromIPC(bytes)), made.lengths, name);
  compare(name, made.lengths);
  rows += made.lengths.length;
}
console.log(`${files} Arrow files, ${rows} rows: same lengths as apache-arrow reads`);

const {UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW} = parquet.Compression;
rows = 0;
for (let i = 0; i < files; ++i) {
  const made = table(false), name = `p${i}.parquet`;
  const properties = new parquet.WriterPropertiesBuilder()
                         .setCompression(pick([UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4_RAW]))
                         .setDictionaryEnabled(below(2) === 0)
                         .setMaxRowGroupSize(pick([5, 100, 100000]))
                         .build();
  const bytes = parquet.writeParquet(parquet.Table.fromIPCStream(arrow.tableToIPC(made.table, 'stream')), properties);
  fs.writeFileSync(path.join(folder, name), bytes);
  assert.deepStrictEqual(lengths_of(arrow.tableFromIPC(parquet.readParquet(bytes).intoIPCStream())), made.lengths, name);
  compare(name, made.lengths, '-j', pick(['1', '2', '5']));
  rows += made.lengths.length;
}
console.log(`${files} Parquet files, ${rows} rows: same lengths as parquet-wasm reads`);

// --- queries, folders, and what must not happen

function write_parquet(name, columns) {
  const bytes = parquet.writeParquet(parquet.Table.fromIPCStream(arrow.tableToIPC(new arrow.Table(columns), 'stream')));
  fs.mkdirSync(path.join(folder, path.dirname(name)), {recursive: true});
  fs.writeFileSync(path.join(folder, name), bytes);
}
const ints = (numbers) => arrow.vectorFromArray(numbers, int32);
const many = some(50000, (_, i) => i * 7 % 1000);
write_parquet("it's [1]/many.parquet", {length: ints(many), ids: arrow.vectorFromArray(many.map((n) => some(n % 3, () => n)), nested)});
const file = "it's [1]/many.parquet", sql = (query, ...options) => scan(file, '--sql', query, ...options);
for (const threads of ['1', '2', '7']) assert.deepStrictEqual(scan(file, '-j', threads).lengths, many, 'the order of the rows');
assert.deepStrictEqual(sql('SELECT len(ids) FROM {file}').lengths, many.map((n) => n % 3));
assert.deepStrictEqual(sql('SELECT length FROM {file} WHERE length > 500 ORDER BY length DESC;').lengths,
                       many.filter((n) => n > 500).sort((a, b) => b - a));
assert.deepStrictEqual(sql('SELECT ids FROM read_parquet({file}) -- lists').lengths, many.map((n) => n % 3));
fs.writeFileSync(path.join(folder, 'rows.json'), '[{"words": ["a", "b"]}, {"words": []}]');
assert.deepStrictEqual(scan('rows.json', '--sql', 'SELECT len(words) AS length FROM {file}').lengths, [2, 0]);

write_parquet('hive/length=9/part.parquet', {length: ints([1, 2])});
write_parquet('hive/length=10/part.parquet', {length: ints([3])});
assert.deepStrictEqual(scan('hive').lengths, [3, 1, 2], 'in the order of the names, and not the folders\' numbers');
write_parquet('none.parquet', {length: ints([])});
assert.match(scan('none.parquet').error, /has no rows/);
write_parquet('text.parquet', {text: arrow.vectorFromArray(['a b', 'c'], new arrow.Utf8()), ids: arrow.vectorFromArray([[[1]], []], new arrow.List(item(nested)))});
assert.match(scan('text.parquet', '--length-field', 'text').error, /field 'text': holds text/);
assert.match(scan('text.parquet').error, /none of its columns is known to hold lengths: text, ids/);
assert.deepStrictEqual(scan('text.parquet', '--length-field', 'ids').lengths, [1, 0]);

const turn = new arrow.Struct([new arrow.Field('role', new arrow.Utf8(), true)]);
write_parquet('messages.parquet', {messages: arrow.vectorFromArray([[{role: 'user'}], []], new arrow.List(item(turn)))});
assert.match(scan('messages.parquet', '--length-field', 'messages').error, /holds lists of objects, whose number is no length/);

const refused = (done, pattern) => { assert.strictEqual(done.status, 3, done.error); assert.match(done.error, pattern); };
refused(sql('SELECT nothing FROM {file}'), /many\.parquet: DuckDB: Binder Error: .*"nothing"/);
refused(sql("SELECT length FROM {file} UNION ALL SELECT length FROM 'none.parquet'"), /Permission Error/);
refused(sql("SELECT length FROM {file} UNION ALL SELECT length FROM 'https://example.org/a.parquet'"), /Permission Error/);
refused(sql("SELECT 1 AS length, {file}; COPY (SELECT 1) TO 'out.csv'"), /Parser Error/);
refused(scan('many.parquet.gz', '--format', 'parquet'), /No such file/);

/// Nothing of a query may write, least of all to the one file that it may read.
const target = path.join(folder, file), untouched = fs.readFileSync(target), copy = 'COPY (SELECT 1 AS length) TO {file} (FORMAT parquet, USE_TMP_FILE false)';
for (const query of [`SELECT 1 AS length) LIMIT 0; ${copy}; SELECT * FROM (SELECT 1 AS length`, `SELECT 1 AS length) LIMIT 0; ${copy}; --`,
                     `FROM {file}) LIMIT 0; ${copy}; SELECT * FROM (FROM {file}`, copy, `SELECT 1; ${copy}`]) {
  refused(sql(query), /DuckDB: .*(multiple statements|syntax error)/);
  assert.ok(fs.readFileSync(target).equals(untouched), query);
}

/// Characters that DuckDB takes for patterns: the file of that name alone is read, in folders of such names too.
const odd = ['a*.parquet', '[x].parquet', 'q?.parquet', 'p{a,b}.parquet', 'back\\*slash.parquet', 'back\\slash.parquet', 'd[1]*?/**/f].parquet'];
for (const decoy of ['ab.parquet', 'x.parquet', 'qa.parquet', 'pa.parquet', 'd1ab/cd/f].parquet']) write_parquet(decoy, {length: ints([999])});
for (const [i, name] of odd.entries()) {
  write_parquet(name, {length: ints([i])});
  for (const options of [['--format', 'parquet'], ['--sql', 'FROM {file}']]) {
    const done = scan(name, ...options);
    assert.deepStrictEqual(done.lengths, [i], name + ': ' + done.error);
  }
}

/// A file that is replaced meanwhile: the lengths are those of the file whose digest is named, or of none.
function while_replaced(name, one, other, tries, ...options) {
  const of = (length) => { const done = spawnSync(exe, ['select', `${length}.bin`, ...options, '--batch-size', '1', '--points', '1', '-q'], {cwd: folder, encoding: 'utf8', env: {...process.env, SEQPOINT_DUCKDB: library}}); return JSON.parse(done.stdout); };
  const digests = new Map([one, other].map((length) => [of(length).provenance.inputs[0].digest, length]));
  fs.copyFileSync(path.join(folder, `${one}.bin`), path.join(folder, name));
  const loop = spawn('bash', ['-c', `while :; do for x in ${one} ${other}; do cp $x.bin t.bin; mv t.bin ${name}; done; done`], {cwd: folder});
  const counts = {same: 0, other: 0, refused: 0};
  for (let i = 0; i < tries; ++i) {
    const done = spawnSync(exe, ['select', name, ...options, '--batch-size', '1', '--points', '1', '-q'], {cwd: folder, encoding: 'utf8', env: {...process.env, SEQPOINT_DUCKDB: library}});
    if (done.status !== 0) {
      assert.match(done.stderr, /was replaced or written to while it was read/);
      ++counts.refused;
    } else {
      const made = JSON.parse(done.stdout);
      ++counts[digests.get(made.provenance.inputs[0].digest) === made.points[0].src_len ? 'same' : 'other'];
    }
  }
  loop.kill();
  console.log(`${name} replaced while it is selected from ${tries} times: ${counts.same} by its digest, ${counts.refused} refused`);
  assert.strictEqual(counts.other, 0, 'digests of the other file');
}
for (const length of [5, 9]) {
  write_parquet(`${length}.bin`, {length: ints(some(40000, () => length))});
}
while_replaced('replaced.parquet', 5, 9, Number(process.argv[4] || 30));
while_replaced('queried.parquet', 5, 9, Number(process.argv[4] || 30), '--sql', 'FROM read_parquet({file})');

/// Damage is an error, or changes nothing that is counted.
const whole = fs.readFileSync(path.join(folder, file));
for (let i = 0; i < 40; ++i) {
  const bytes = i < 10 ? whole.subarray(0, below(whole.length)) : Buffer.from(whole);
  if (i >= 10) bytes[4 + below(whole.length - 4)] ^= 1 + below(255);
  fs.writeFileSync(path.join(folder, 'damaged.parquet'), bytes);
  const done = scan('damaged.parquet', '--length-field', 'ids');
  if (done.status === 0) assert.strictEqual(done.lengths.length, many.length, `damage ${i}`);
  else assert.strictEqual(done.status, 3, `damage ${i}: ${done.error}`);
}
console.log('queries, folders, refusals and 40 damaged files: as they should be');
