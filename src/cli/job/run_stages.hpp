/// \file
/// The stages between the starts of jobs, as calls of the functions that the commands of the same names call. Their
/// files are those of the commands: a user can continue a run by hand.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/project.hpp"
#include "cli/commands/select_request.hpp"
#include "cli/job/run.hpp"

namespace seqpoint::cli::job {

/// The points to choose of an order.
SelectRequest selecting(const io::artifacts::JobRequest&, const std::string& order);
/// The points of an order with the request's options: the file that `seqpoint select ORDER` writes. Prints warnings.
std::string points_of(const io::artifacts::JobRequest&, const std::string& order, Console&);
/// The same for points that one process has measured, and further ones, where first executions count.
std::string further_points_of(const io::artifacts::JobRequest&, const std::string& order,
                              const select::Selection& measured, const select::CountedFirst&, Console&);
/// The plan of points for that many processes: the file plan.json of `seqpoint plan POINTS`.
std::string plan_of(const std::string& points, std::uint64_t processes);
/// The measurements to project, at these points, and the traces of these configurations to compare with. The request's
/// limit applies if there are several configurations.
ProjectRequest projecting(const RunRequest&, const std::string& points, Configurations,
                          const std::vector<NamedFile>& truths, double confidence);

}  // namespace seqpoint::cli::job
