// Writes columns for seqpoint_bench: lists of 1 to 39 token ids as Arrow and as Parquet, and a column of lengths as Parquet.
//   node columns.mjs FOLDER ROWS SCALE    (needs npm's apache-arrow and @duckdb/node-api; NODE_PATH may say where)
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(process.env.NODE_PATH ? `${process.env.NODE_PATH}/` : import.meta.url);
const arrow = require("apache-arrow");
const { DuckDBInstance } = require("@duckdb/node-api");
const [folder, rows, scale] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const write = (select, name) => connection.run(`COPY (${select}) TO '${folder}/${name}.parquet'`);
await write(`SELECT list_transform(range(1 + i * 7919 % 39), x -> ((x * 31 + i) % 50000)::INT) AS input_ids FROM range(${rows}) t(i)`, "lists");
await write(`SELECT (i * 7919 % 2000)::INT AS length FROM range(${scale}) t(i)`, "numbers");

// Batches of 1000 rows, as Hugging Face's data sets have them.
const type = new arrow.List(new arrow.Field("item", new arrow.Int32(), true)), batches = [];
for (let first = 0; first < rows; first += 1000) {
  const length = Math.min(1000, rows - first), offsets = new Int32Array(length + 1);
  for (let i = 0; i < length; ++i) offsets[i + 1] = offsets[i] + 1 + ((first + i) * 7919) % 39;
  const values = new Int32Array(offsets[length]);
  for (let i = 0; i < length; ++i)
    for (let x = offsets[i]; x < offsets[i + 1]; ++x) values[x] = ((x - offsets[i]) * 31 + first + i) % 50000;
  const child = arrow.makeData({ type: new arrow.Int32(), length: values.length, data: values });
  batches.push(arrow.makeData({ type, length, valueOffsets: offsets, child }));
}
writeFileSync(`${folder}/lists.arrow`, arrow.tableToIPC(new arrow.Table({ input_ids: new arrow.Vector(batches) }), "stream"));
