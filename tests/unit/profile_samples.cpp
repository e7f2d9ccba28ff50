#include "unit/profile_samples.hpp"

#include "unit/read_profile.hpp"

namespace seqpoint::testing {
namespace {

constexpr auto kKineto = R"({"schemaVersion":1,"traceEvents":[
 {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":10,"tid":10,"ts":100.000,"dur":900.500,"args":{"External id":1}},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":150.250,"dur":5.000,"args":{"correlation":42}},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":300.125,"dur":400.000,"args":{"correlation":42}}],"traceName":"x.json"})";

}  // namespace

const std::string& nsys_sample() {
  // Process 5 is 5 << 24 and above, thread 1 of it 5 << 24 | 1.
  static const std::string bytes = sqlite_bytes(R"(
    CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
    INSERT INTO StringIds VALUES(1, 'gemm'), (2, 'aten::mul, op_id = 3');
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, "end", globalTid, correlationId);
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(1100, 1110, 83886081, 1), (1200, 1210, 83886082, 2), (1150, 1160, 100663297, 1);
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, "end", deviceId, streamId, correlationId, globalPid, demangledName, shortName);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(3000, 3500, 0, 7, 1, 83886080, 1, NULL), (3000, 8000, 1, 7, 1, 100663296, 1, NULL);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, "end", deviceId, streamId, correlationId, globalPid, copyKind);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(3400, 3600, 0, 8, 2, 83886080, 1);
    CREATE TABLE NVTX_EVENTS(start, "end", eventType, text, globalTid, textId);
    INSERT INTO NVTX_EVENTS VALUES(1000, 3000, 59, 'iter seqlen=17', 83886081, NULL), (1050, 1350, 59, NULL, 83886081, 2),
      (5000, NULL, 59, 'iter seqlen=42', 83886081, NULL), (0, NULL, 75, 'a domain', 83886081, NULL);
    CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);)");
  return bytes;
}

std::string rocpd_sql() {
  return R"(
    CREATE TABLE rocpd_metadata(tag, value);
    CREATE TABLE r(start, "end", name, pid, tid, category, guid, stack_id);
    INSERT INTO r VALUES(1000000, 3000000, 'iter:17', 7, 7, 'MARKER_CORE_RANGE_API', 'g', 1), (4000000, 9000000, 'iter:42', 7, 7, 'MARKER_CORE_RANGE_API', 'g', 2),
      (1100000, 1110000, 'hipLaunchKernel', 7, 7, 'HIP_RUNTIME_API', 'g', 3);
    CREATE VIEW regions AS SELECT * FROM r;
    CREATE TABLE k(start, "end", name, pid, guid, stack_id, parent_stack_id, region, agent_abs_index, queue_id);
    INSERT INTO k VALUES(1200000, 2700000, 'gemm', 7, 'g', 3, 1, 'iter:17', 4, 1), (9200000, 13700000, 'softmax', 7, 'g', 4, 2, 'iter:42', 4, 1);
    CREATE VIEW kernels AS SELECT * FROM k;)";
}

const std::string& rocpd_sample() {
  static const std::string bytes = sqlite_bytes(rocpd_sql());
  return bytes;
}

const std::vector<ProfileSample>& profile_samples() {
  static const std::vector<ProfileSample> samples{
      {"nsys", "run.sqlite", nsys_sample(), 1},
      {"rocpd", "run.db", rocpd_sample(), 2},
      {"kineto", "worker.pt.trace.json", kKineto, 1},
      {"csv", "v1.csv", "src_len,runtime_s\n17,0.5\n42,1\n", 2},
  };
  return samples;
}

}  // namespace seqpoint::testing
