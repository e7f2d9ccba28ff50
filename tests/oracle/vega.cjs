// Specifications of --export-vega as Vega-Lite compiles them and Vega draws them:
//
//   node vega.cjs EXE SOURCE_DIR
//
// No warning, a mark for every row (of a line one, with a corner for every row), each where a number puts it, and ranges as wide as
// they are. Ends with 77 where there is no vega-lite; to have it: tests/oracle/node.sh.
const {execFileSync} = require('node:child_process');
const fs = require('node:fs'), os = require('node:os'), path = require('node:path'), assert = require('node:assert');

let vega, vegaLite;
try {
  vega = require('vega');
  vegaLite = require('vega-lite');
} catch (error) {
  console.log('skipped: ' + error.message.split('\n')[0]);
  process.exit(77);
}

const exe = path.resolve(process.argv[2]), data = path.resolve(process.argv[3], 'examples', 'data');

function makeSpecifications(folder) {
  const run = (...options) => execFileSync(exe, ['-q', ...options], {cwd: folder, stdio: ['ignore', 'ignore', 'inherit']});
  const measured = (option, ...machines) => machines.flatMap((name) => [option, `${name}=${data}/gnmt-multi30k/${name}.csv`]);
  run('select', `${data}/gnmt-multi30k/haswell.csv`, '--points', '8', '-o', 'pairs.json');
  run('project', 'pairs.json', ...measured('--profile', 'haswell', 'nehalem'), '-o', 'projection.json');
  run('report', 'pairs.json', 'projection.json', ...measured('--trace', 'haswell', 'nehalem'), '-o', 'pairs.html', '--export-vega', 'pairs.vl.json');
  run('evaluate', ...measured('', 'haswell', 'nehalem').filter((text) => text !== ''), '--draws', '5', '--points', '8', '--export-vega', 'evaluation.vl.json');
  const order = [`${data}/opennmt-sample.en.len`, '--sampler', 'pytorch', '--generator-seed', '1', '--batch-size', '16'];
  run('select', ...order, '--points', '8', '-o', 'points.json');
  run('project', 'points.json', '--profile', `v1=${data}/transformer-opennmt/points.trace.json.gz`, '--by', 'operator', '--export-vega', 'operators.vl.json');
  run('scan', ...order, '--epochs', '30', '-o', 'long.csv');
  const rows = fs.readFileSync(path.join(folder, 'long.csv'), 'utf8').trimEnd().split('\n');
  fs.writeFileSync(path.join(folder, 'long.csv'),
                   rows.map((row, i) => row + (i === 0 ? ',runtime_s' : `,${(Number(row.split(',')[2]) * (1 + (i % 7) / 70) / 100).toFixed(4)}`)).join('\n') + '\n');
  run('select', 'long.csv', '--points', '8', '-o', 'long.json');
  run('report', 'long.json', '--trace', 'a=long.csv', '-o', 'long.html', '--export-vega', 'cells.vl.json');
  return ['pairs', 'evaluation', 'operators', 'cells'].map((name) => path.join(folder, name + '.vl.json'));
}

/// Complains of nothing but notes down.
function listener(complaints) {
  const note = (...words) => { complaints.push(words.join(' ')); return logger; };
  const logger = {level: () => logger, warn: note, error: note, info: () => logger, debug: () => logger};
  return logger;
}

function marksOf(group) {
  return group.items.flatMap((item) => item.items || []).flatMap((mark) => mark.marktype === 'group' ? marksOf(mark) : mark.role === 'mark' ? [mark] : []);
}

async function drawn(specification, complaints) {
  const logger = listener(complaints);
  const view = new vega.View(vega.parse(vegaLite.compile(specification, {logger}).spec), {renderer: 'none', logger});
  return {svg: await view.toSVG(), marks: marksOf(view.scenegraph().root)};
}

async function checkView(view, schema, complaints) {
  const {marks} = await drawn({$schema: schema, ...view}, complaints);
  const items = marks.flatMap((mark) => mark.items);
  assert.equal(items.length, view.data.values.length, view.title);
  for (const item of items) assert.ok(Number.isFinite(item.x) && Number.isFinite(item.y), view.title);
  const ranges = Object.keys(view.encoding).filter((channel) => channel === 'x2' || (channel === 'y2' && view.encoding.y2.field.startsWith('behind_')));
  for (const item of items)
    for (const channel of ranges) assert.ok(channel === 'x2' ? item.width > 0 : item.height > 0, `${view.title}: a range without a width`);
  // A zero beside a number is no bar; bars that share a place stand beside each other.
  const places = new Set(items.map((item) => `${item.x} ${item.y} ${item.width} ${item.height}`));
  if (view.encoding.yOffset) assert.equal(places.size, items.length, `${view.title}: bars cover each other`);
  return items.length;
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'vega-'));
  let views = 0, marks = 0;
  try {
    for (const file of makeSpecifications(folder)) {
      const specification = JSON.parse(fs.readFileSync(file, 'utf8')), complaints = [];
      const {svg} = await drawn(specification, complaints);
      assert.ok(svg.startsWith('<svg'));
      for (const view of specification.vconcat) {
        marks += await checkView(view, specification.$schema, complaints);
        views += 1;
      }
      assert.deepEqual(complaints, [], file);
    }
  } finally {
    fs.rmSync(folder, {recursive: true});
  }
  console.log(`${views} views with ${marks} marks, by vega-lite ${vegaLite.version}`);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
