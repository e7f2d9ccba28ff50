#include "unit/profile_samples.hpp"

#include "io/text/tf_record.hpp"
#include "unit/read_profile.hpp"

namespace seqpoint::testing {
namespace {

constexpr auto kKineto = R"({"schemaVersion":1,"traceEvents":[
 {"ph":"X","cat":"user_annotation","name":"ProfilerStep#7","pid":10,"tid":10,"ts":100.000,"dur":900.500,"args":{"External id":1}},
 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":150.250,"dur":5.000,"args":{"correlation":42}},
 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":300.125,"dur":400.000,"args":{"correlation":42}}],"traceName":"x.json"})";
constexpr auto kTensorFlow = R"({"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[
 {"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"Steps"}},
 {"ph":"X","pid":1,"tid":1,"ts":1000.5,"dur":2000.25,"name":"17","args":{"group_id":"1"}},{}]})";

std::string raw(auto number) { return std::string(reinterpret_cast<const char*>(&number), sizeof number); }

/// A record of TensorFlow's. Numbers are as this machine has them.
std::string framed(const std::string& bytes) {
  const std::string size = raw(std::uint64_t{bytes.size()});
  return size + raw(io::text::masked_checksum(size)) + bytes + raw(io::text::masked_checksum(bytes));
}

}  // namespace

const std::string& tensorboard_version() {
  static const std::string bytes = framed('\x09' + raw(1.7e9) + "\x1a\x0d" + "brain.Event:2");
  return bytes;
}

std::string tensorboard_event(double wall_time, int step, const std::string& tag, float value) {
  const auto chunk = [](int field, const std::string& bytes) {
    return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  return framed('\x09' + raw(wall_time) + '\x10' + static_cast<char>(step) +
                chunk(5, chunk(1, chunk(1, tag) + '\x15' + raw(value))));
}

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
      {"tensorflow", "host.trace.json", kTensorFlow, 1},
      {"kineto", "worker.pt.trace.json", kKineto, 1},
      {"hyperfine", "hyperfine.json",
       R"({"results": [{"command": "train", "mean": 9, "times": [0.25, 0.5], "exit_codes": [0, 0], "parameters": {"seqlen": "42"}}]})",
       2},
      {"pytest-benchmark", "pytest.json",
       R"({"machine_info": {}, "benchmarks": [{"name": "test[42]", "params": {"seqlen": 42}, "stats": {"mean": 0.25, "rounds": 2}}]})",
       1},
      {"google-benchmark", "bench.json",
       R"({"benchmarks": [{"name": "BM/42", "run_type": "iteration", "real_time": 1.5, "time_unit": "ms"}]})", 1},
      {"perf-stat", "sp1.json", "{\"counter-value\" : \"1500\", \"event\" : \"instructions:u\", \"unit\" : \"\"}\n", 1},
      {"mllog", "run.log",
       ":::MLLOG {\"time_ms\": 1000, \"event_type\": \"INTERVAL_START\", \"key\": \"run_start\", \"metadata\": {}}\n"
       ":::MLLOG {\"time_ms\": 2000, \"event_type\": \"INTERVAL_END\", \"key\": \"run_stop\", \"metadata\": {}}\n",
       1},
      {"log", "train.log",
       "[default0]: iteration        1/       3 | elapsed time per iteration (ms): 4000.0 | lm loss: 3.0E+00 |\n"
       "[default0]: iteration        2/       3 | elapsed time per iteration (ms): 1000.0 | lm loss: 2.0E+00 |\n",
       2},
      {"tensorboard", "events.out.tfevents.1",
       tensorboard_version() + tensorboard_event(1.7e9, 1, "iteration-time", 0.5) +
           tensorboard_event(1.7e9, 2, "iteration-time", 0.25),
       2},
      {"lightning", "metrics.csv", "epoch,step,train_loss,step_s\n0,49,8.6,0.25\n0,99,7.6,0.5\n", 2},
      {"trainer-state", "trainer_state.json",
       R"({"global_step": 8, "log_history": [{"step": 8, "train_runtime": 12.0}], "max_steps": 8})", 1},
      {"ncu", "sp1.ncu.csv",
       "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
       "Value\"\n"
       "\"0\",\"1\",\"gemm\",\"8.0\",\"s\",\"gpu__time_duration.sum\",\"nsecond\",\"152,192\"\n",
       1},
      {"nsys-stats", "nvtx.csv",
       "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Range\n100,8000,4,2000.0,1950.0,:iter seqlen=17\n", 1},
      {"rocprof", "sp1.csv", "Index,KernelName,gpu-id,BeginNs,EndNs\n0,\"gemm(a, b)\",1,1200,2700\n", 1},
      {"rocprofv3", "run_kernel_trace.csv",
       "Kind,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp\nK,\"gemm(a, b)\",1,10,15\n", 1},
      {"csv", "v1.csv", "src_len,runtime_s\n17,0.5\n42,1\n", 2},
      {"perf-stat-csv", "sp1.txt", "# started on Mon\n\n70;;page-faults:u;1204272;100.00;58.128;K/sec\n", 1},
  };
  return samples;
}

}  // namespace seqpoint::testing
