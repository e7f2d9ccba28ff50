// Adds up the durations of a manifest by DuckDB; prints the seconds that the query alone took.
//   node duckdb.mjs FILE THREADS          (needs npm's @duckdb/node-api; NODE_PATH may say where)
import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";

const require = createRequire(process.env.NODE_PATH ? `${process.env.NODE_PATH}/` : import.meta.url);
const { DuckDBInstance } = require("@duckdb/node-api");
const [file, threads] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create(":memory:", { threads })).connect();
const source = file.endsWith(".csv")
  ? `read_csv('${file}', header = true, columns = {'utterance': 'VARCHAR', 'audio_filepath': 'VARCHAR', 'duration': 'DOUBLE', 'text': 'VARCHAR'})`
  : `read_json('${file}', format = 'newline_delimited', columns = {'duration': 'DOUBLE'})`;
const begin = performance.now();
const result = await connection.runAndReadAll(`SELECT count(*), sum(duration) FROM ${source}`);
const seconds = (performance.now() - begin) / 1000;
console.log(String(result.getRows()[0]));
console.log(seconds.toFixed(6));
