#include "cost_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace seqpoint {
namespace {

/// Sides of the tiles that matrix kernels work in.
constexpr std::array kTiles{8, 16, 32, 64, 128};
/// Padded lengths apart at which costs are still alike.
constexpr std::array kScales{4.0, 16.0, 64.0};

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
  Eigen::ArrayXd b, s, t, count, statistic;
};

Dimensions dimensions_of(const std::vector<SignatureGroup>& groups) {
  const auto n = static_cast<Eigen::Index>(groups.size());
  Dimensions d{Eigen::ArrayXd(n), Eigen::ArrayXd(n), Eigen::ArrayXd(n), Eigen::ArrayXd(n), Eigen::ArrayXd(n)};
  for (Eigen::Index g = 0; g < n; ++g) {
    const SignatureGroup& group = groups[static_cast<std::size_t>(g)];
    d.b[g] = group.signature.batch_size;
    d.s[g] = group.signature.src_len;
    d.t[g] = group.signature.tgt_len;
    d.count[g] = static_cast<double>(group.count);
    d.statistic[g] = group.sum / d.count[g];
  }
  return d;
}

void add_tiles(Columns& columns, const Eigen::ArrayXd& b, const Eigen::ArrayXd& length) {
  for (const int tile : kTiles)
    if (tile < length.maxCoeff()) columns.add(b * (length / tile).ceil());
}

CostModel::Rows features_of(const Dimensions& d, const Eigen::ArrayXd& share, bool paired, bool has_statistic) {
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
    add_tiles(columns, d.b, d.t);
  }
  if (d.b.minCoeff() != d.b.maxCoeff()) {
    columns.add(d.s);
    if (paired) columns.add(d.t);
  }
  if (has_statistic) columns.add(d.statistic);
  return columns.take();
}

CostModel::Rows constraints_of(const Dimensions& d, const Eigen::ArrayXd& share, bool paired) {
  Columns columns(share);
  columns.add(Eigen::ArrayXd::Ones(d.b.size()));
  columns.add(d.b * d.s);
  if (!paired) columns.add(d.b * d.s.square());
  if (paired) columns.add(d.b * d.t);
  if (paired) columns.add(d.b * d.s * d.t);
  return columns.take();
}

/// sum over u of mass_u exp(-|x_u - x_v| / scale), for every v, by one pass up and one down the sorted lengths.
Eigen::ArrayXd smoothed(const std::vector<std::uint32_t>& length, const Eigen::ArrayXd& mass, double scale) {
  std::vector<Eigen::Index> order(length.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto at = [&](Eigen::Index g) { return static_cast<double>(length[static_cast<std::size_t>(g)]); };
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

CostModel cost_model(const std::vector<SignatureGroup>& groups, bool paired, bool has_statistic) {
  const Dimensions d = dimensions_of(groups);
  CostModel model;
  model.count = d.count;
  model.share = d.count / d.count.sum();
  model.features = features_of(d, model.share, paired, has_statistic);
  model.constraints = constraints_of(d, model.share, paired);
  const Eigen::ArrayXd size = d.b * (d.s + d.t);
  const double mean = (size * model.share).sum();
  model.size = mean > 0 ? Eigen::ArrayXd(size / mean) : Eigen::ArrayXd::Ones(size.size());
  return model;
}

LocalProcess::LocalProcess(const std::vector<SignatureGroup>& groups, const CostModel& model, bool paired)
    : size_(model.size), with_mean_(Eigen::ArrayXd::Zero(model.size.size())) {
  lengths_.resize(paired ? 2 : 1);
  for (const SignatureGroup& group : groups) {
    lengths_[0].push_back(group.signature.src_len);
    if (paired) lengths_[1].push_back(group.signature.tgt_len);
  }
  for (const auto& length : lengths_)
    for (const double scale : kScales) with_mean_ += smoothed(length, model.share * model.size, scale);
  // Covariances are asked for again and again; of lengths further apart hardly ever.
  constexpr std::uint32_t kKept = 4096;
  for (std::uint32_t distance = 0; distance < kKept; ++distance) alike_.push_back(alike(distance));
  with_mean_ *= size_ / static_cast<double>(lengths_.size() * kScales.size());
  of_mean_ = (with_mean_ * model.share).sum();
}

double LocalProcess::covariance(std::size_t a, std::size_t b) const {
  double sum = 0;
  for (const auto& length : lengths_) {
    const std::uint32_t distance = std::max(length[a], length[b]) - std::min(length[a], length[b]);
    sum += distance < alike_.size() ? alike_[distance] : alike(distance);
  }
  return sum / static_cast<double>(lengths_.size() * kScales.size()) * size_[static_cast<Eigen::Index>(a)] *
         size_[static_cast<Eigen::Index>(b)];
}

}  // namespace seqpoint
