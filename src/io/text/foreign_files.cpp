#include "io/text/foreign_files.hpp"

#include <array>

#include "io/text/input_head.hpp"

namespace seqpoint::io::text {
namespace {

using Fits = bool (*)(std::string_view path, std::string_view head);

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_nsys_report(std::string_view path, std::string_view) {
  return path.ends_with(".nsys-rep") || path.ends_with(".qdrep");
}
bool is_ncu_report(std::string_view path, std::string_view) { return path.ends_with(".ncu-rep"); }
bool is_xplane(std::string_view path, std::string_view head) { return head.starts_with('\n') && path.ends_with(".pb"); }
bool is_perf_data(std::string_view, std::string_view head) { return head.starts_with("PERFILE2"); }
bool is_perf_report(std::string_view, std::string_view head) { return has(head, "Performance counter stats for"); }
bool is_rocprofv3_json(std::string_view, std::string_view head) {
  return first_line(head).starts_with('{') && has(head, "\"rocprofiler-sdk-tool\"");
}
bool is_rocprofv3_copies(std::string_view, std::string_view head) {
  const std::string_view line = first_line(head);
  return has(line, "\"Direction\"") && has(line, "\"Start_Timestamp\"");
}
bool is_rocprofv3_statistics(std::string_view, std::string_view head) {
  return has(first_line(head), "\"TotalDurationNs\"");
}

struct Row {
  Fits fits;
  ForeignFile file;
};

constexpr std::array kRows{
    Row{is_nsys_report,
        {"is a report of Nsight Systems", "nsys export --type sqlite FILE writes the SQLite file to give"}},
    Row{is_ncu_report, {"is a report of Nsight Compute", "ncu --import FILE --csv writes the table to give"}},
    Row{is_xplane, {"is an XPlane protocol buffer", "download the trace from the profiler's page (trace_viewer JSON)"}},
    Row{is_perf_data,
        {"is what perf record wrote", "count instead: perf stat -j -e duration_time,... -o FILE COMMAND"}},
    Row{is_perf_report,
        {"is perf stat's table for people",
         "write it for programs: perf stat -j -e duration_time,... -o FILE COMMAND"}},
    Row{is_rocprofv3_json, {"is rocprofv3's JSON", "write CSV or a database: rocprofv3 --output-format csv, or rocpd"}},
    Row{is_rocprofv3_copies,
        {"is rocprofv3's table of memory copies, which has no steps",
         "give the kernel trace of the same run (NAME_kernel_trace.csv)"}},
    Row{is_rocprofv3_statistics,
        {"is a table of sums that rocprofv3 wrote, which has no steps",
         "give the kernel trace of the same run (NAME_kernel_trace.csv)"}},
};

}  // namespace

const ForeignFile* foreign_file(std::string_view path, std::string_view head) {
  for (const Row& row : kRows)
    if (row.fits(path, head)) return &row.file;
  return nullptr;
}

}  // namespace seqpoint::io::text
