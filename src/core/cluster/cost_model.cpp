#include "cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace seqpoint {
namespace {

/// Sides of the tiles that matrix kernels work in.
constexpr std::array kTiles{8, 16, 32, 64, 128};
/// The same of the rows of a matrix that all tokens of a batch make (CUTLASS's thread blocks: up to 256 rows).
constexpr std::array kTokenTiles{128, 256};
/// Padded lengths apart at which costs are still alike.
constexpr std::array kScales{4.0, 16.0, 64.0};
/// Tokens that count as one unit of those scales: the tiles of tokens are so much larger than those of lengths.
constexpr double kTokensApart = 16;

/// Collects functions of the run, divided by their means. One whose mean is not a number above 0 is left out.
class Columns {
 public:
  explicit Columns(const Eigen::ArrayXd& share) : share_(share) {}
  void add(const Eigen::ArrayXd& values) {
    const double mean = (values * share_).sum();
    if (mean > 0 && std::isfinite(mean)) columns_.emplace_back(values / mean);
  }
  CostModel::Rows take() const {
    CostModel::Rows rows(share_.size(), static_cast<Eigen::Index>(columns_.size()));
    for (std::size_t c = 0; c < columns_.size(); ++c) rows.col(static_cast<Eigen::Index>(c)) = columns_[c].matrix();
    return rows;
  }

 private:
  const Eigen::ArrayXd& share_;
  std::vector<Eigen::ArrayXd> columns_;
};

struct Dimensions {
  Eigen::ArrayXd b, s, t, squares, size, count, statistic;
};

Dimensions dimensions_of(const std::vector<SignatureGroup>& groups) {
  const auto n = static_cast<Eigen::Index>(groups.size());
  Dimensions d;
  for (Eigen::ArrayXd* column : {&d.b, &d.s, &d.t, &d.squares, &d.size, &d.count, &d.statistic}) column->resize(n);
  for (Eigen::Index g = 0; g < n; ++g) {
    const SignatureGroup& group = groups[static_cast<std::size_t>(g)];
    d.b[g] = group.signature.batch_size;
    d.s[g] = group.signature.src_len;
    d.t[g] = group.signature.tgt_len;
    d.squares[g] = static_cast<double>(group.signature.sq_tokens);
    d.size[g] = size_of(group.signature);
    d.count[g] = static_cast<double>(group.count);
    d.statistic[g] = group.sum / d.count[g];
  }
  return d;
}

void add_tiles(Columns& columns, const Eigen::ArrayXd& b, const Eigen::ArrayXd& length, std::span<const int> tiles = kTiles) {
  for (const int tile : tiles)
    if (tile < length.maxCoeff()) columns.add(b * (length / tile).ceil());
}

/// Of a batch without padding, b = 1: s is its tokens.
CostModel::Rows unpadded_features(const Dimensions& d, const Eigen::ArrayXd& share, bool has_statistic) {
  Columns columns(share);
  columns.add(d.b);
  columns.add(d.s);
  columns.add(d.squares);
  columns.add(d.s.sqrt());
  add_tiles(columns, d.b, d.s, kTokenTiles);
  if (has_statistic) columns.add(d.statistic);
  return columns.take();
}

CostModel::Rows features_of(const Dimensions& d, const Eigen::ArrayXd& share, bool paired, bool one_batch_size, bool has_statistic) {
  Columns columns(share);
  columns.add(d.b);
  columns.add(d.b * d.s);
  columns.add(d.b * d.s.square());
  columns.add(d.b * d.s.cube());
  columns.add(d.b * d.s.sqrt());
  add_tiles(columns, d.b, d.s);
  if (paired) {
    columns.add(d.b * d.t);
    columns.add(d.b * d.s * d.t);
    columns.add(d.b * d.t.square());
    // Where they do not vary, it made no measured epoch come out better.
    if (!one_batch_size) columns.add(d.b * d.t.cube());
    add_tiles(columns, d.b, d.t);
  }
  if (d.b.minCoeff() != d.b.maxCoeff()) {
    columns.add(d.s);
    if (paired) columns.add(d.t);
  }
  if (has_statistic) columns.add(d.statistic);
  return columns.take();
}

CostModel::Rows shapes_of(const Dimensions& d, const Eigen::ArrayXd& share) {
  Columns columns(share);
  columns.add(d.b * (d.s + d.t));
  columns.add(d.b * (d.s.square() + d.t.square()));
  columns.add(d.b * (d.s.cube() + d.t.cube()));
  columns.add(d.b * (d.s.sqrt() + d.t.sqrt()));
  columns.add(d.b * d.s * d.t);
  for (const int tile : kTiles)
    if (tile < std::max(d.s.maxCoeff(), d.t.maxCoeff())) columns.add(d.b * ((d.s / tile).ceil() + (d.t / tile).ceil()));
  return columns.take();
}

CostModel::Rows constraints_of(const Dimensions& d, const Eigen::ArrayXd& share, const Trace& run, bool one_batch_size) {
  Columns columns(share);
  columns.add(Eigen::ArrayXd::Ones(d.b.size()));
  columns.add(d.b * d.s);
  if (run.varlen()) columns.add(d.squares);
  if (!run.varlen() && !run.paired()) columns.add(d.b * d.s.square());
  if (run.paired()) columns.add(d.b * d.t);
  if (run.paired()) columns.add(d.b * d.s * d.t);
  if (!one_batch_size) columns.add(d.b);
  return columns.take();
}

CostModel::Rows constraints_of_few(const Dimensions& d, const Eigen::ArrayXd& share) {
  Columns columns(share);
  columns.add(Eigen::ArrayXd::Ones(d.b.size()));
  columns.add(d.b * (d.s + d.t));
  return columns.take();
}

/// sum over u of mass_u exp(-|x_u - x_v| / scale), for every v, by one pass up and one down the sorted lengths.
Eigen::ArrayXd smoothed(const std::vector<double>& length, const Eigen::ArrayXd& mass, double scale) {
  std::vector<Eigen::Index> order(length.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto at = [&](Eigen::Index g) { return length[static_cast<std::size_t>(g)]; };
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return at(a) < at(b); });
  Eigen::ArrayXd sum = -mass;  // both passes count the group itself
  const auto pass = [&](auto begin, auto end) {
    double carried = 0, last = at(*begin);
    for (auto i = begin; i != end; ++i) {
      carried = carried * std::exp(-std::abs(at(*i) - last) / scale) + mass[*i];
      sum[*i] += carried;
      last = at(*i);
    }
  };
  pass(order.begin(), order.end());
  pass(order.rbegin(), order.rend());
  return sum;
}

double alike(double distance) {
  double sum = 0;
  for (const double scale : kScales) sum += std::exp(-distance / scale);
  return sum;
}

}  // namespace

CostModel cost_model(const std::vector<SignatureGroup>& groups, const Trace& run, bool has_statistic) {
  const Dimensions d = dimensions_of(groups);
  CostModel model;
  model.count = d.count;
  model.share = d.count / d.count.sum();
  const bool one_batch_size = mostly_one_batch_size(groups);
  model.features = run.varlen() ? unpadded_features(d, model.share, has_statistic)
                                : features_of(d, model.share, run.paired(), one_batch_size, has_statistic);
  model.shapes = run.varlen() ? unpadded_features(d, model.share, false) : shapes_of(d, model.share);
  model.constraints = constraints_of(d, model.share, run, one_batch_size);
  model.constraints_of_few = run.paired() && !run.varlen() && !one_batch_size ? constraints_of_few(d, model.share) : model.constraints;
  const double mean = (d.size * model.share).sum();
  model.size = mean > 0 ? Eigen::ArrayXd(d.size / mean) : Eigen::ArrayXd::Ones(d.size.size());
  return model;
}

LocalProcess::LocalProcess(const std::vector<SignatureGroup>& groups, const CostModel& model, const Trace& run)
    : size_(model.size), with_mean_(Eigen::ArrayXd::Zero(model.size.size())) {
  lengths_.resize(run.paired() || run.varlen() ? 2 : 1);
  for (const SignatureGroup& group : groups) {
    const Signature& s = group.signature;
    lengths_[0].push_back(run.varlen() ? s.src_len / kTokensApart : s.src_len);
    if (run.paired()) lengths_[1].push_back(s.tgt_len);
    if (run.varlen()) lengths_[1].push_back(static_cast<double>(s.sq_tokens) / std::max(s.src_len, 1U));
  }
  for (const auto& length : lengths_)
    for (const double scale : kScales) with_mean_ += smoothed(length, model.share * model.size, scale);
  // Covariances are asked for again and again; of lengths further apart hardly ever. With padding distances are whole.
  constexpr std::uint32_t kKept = 4096;
  for (std::uint32_t distance = 0; distance < kKept; ++distance) alike_.push_back(alike(distance));
  with_mean_ *= size_ / static_cast<double>(lengths_.size() * kScales.size());
  of_mean_ = (with_mean_ * model.share).sum();
}

double LocalProcess::covariance(std::size_t a, std::size_t b) const {
  double sum = 0;
  for (const auto& length : lengths_) {
    const double distance = std::abs(length[a] - length[b]);
    const std::size_t whole = distance < static_cast<double>(alike_.size()) ? static_cast<std::size_t>(distance) : 0;
    sum += static_cast<double>(whole) == distance ? alike_[whole] : alike(distance);
  }
  return sum / static_cast<double>(lengths_.size() * kScales.size()) *
         (size_[static_cast<Eigen::Index>(a)] * size_[static_cast<Eigen::Index>(b)]);
}

}  // namespace seqpoint
