#include "core/select/cost_model.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace seqpoint {
namespace {

/// Distances whose covariances are kept: longer ones are hardly met, and computed when they are.
constexpr double kMostKept = 4096;

double longest_side(std::span<const SignatureCount> histogram) {
  std::uint32_t longest = 0;
  for (const SignatureCount& entry : histogram) longest = std::max({longest, entry.signature.src_len, entry.signature.tgt_len});
  return longest;
}

std::vector<std::size_t> ascending(std::span<const CostCoordinates> places, std::size_t side) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return places[a].sides[side] < places[b].sides[side]; });
  return order;
}

}  // namespace

// --- jagged cost -----------------------------------------------------------------------------------------------------------

JaggedCost::JaggedCost(const ModelConstants& constants, bool paired, bool varlen, double longest)
    : scales_(constants.scales),
      sides_(paired || varlen ? 2 : 1),
      variance_share_(constants.jag * constants.jag / static_cast<double>(sides_ * constants.scales.size())),
      whole_distances_(!varlen),
      by_distance_(varlen ? 0 : static_cast<std::size_t>(std::min(longest, kMostKept)) + 1) {
  for (std::size_t d = 0; d < by_distance_.size(); ++d) by_distance_[d] = computed(static_cast<double>(d));
}

double JaggedCost::computed(double distance) const {
  double sum = 0;
  for (const double scale : scales_) sum += std::exp(-distance / scale);
  return sum;
}

Eigen::VectorXd JaggedCost::with_sum(std::span<const CostCoordinates> places, const Eigen::VectorXd& mass) const {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(mass.size());
  for (std::size_t side = 0; side < sides_; ++side) {
    const std::vector<std::size_t> order = ascending(places, side);
    for (const double scale : scales_) {
      const auto pass = [&](auto begin, auto end, bool counts_itself) {
        double carried = 0, last = places[*begin].sides[side];
        for (auto at = begin; at != end; ++at) {
          const double here = places[*at].sides[side], own = mass[static_cast<Eigen::Index>(*at)] * places[*at].size;
          carried *= std::exp(-std::abs(here - last) / scale);
          sum[static_cast<Eigen::Index>(*at)] += counts_itself ? carried + own : carried;
          carried += own;
          last = here;
        }
      };
      pass(order.begin(), order.end(), true);
      pass(order.rbegin(), order.rend(), false);
    }
  }
  for (std::size_t g = 0; g < places.size(); ++g) sum[static_cast<Eigen::Index>(g)] *= variance_share_ * places[g].size;
  return sum;
}

// --- shapes ----------------------------------------------------------------------------------------------------------------

/// The dimensions of some signatures.
struct CostModel::Columns {
  Eigen::ArrayXd s, t, b, squares;  ///< without padding s is the tokens, b = 1

  Eigen::ArrayXd size(bool varlen) const { return varlen ? s : Eigen::ArrayXd(b * (s + t)); }
};

namespace {

using Column = Eigen::ArrayXd;

template <class Dimensions>
std::vector<Column> free_shapes(const Dimensions& x, bool paired, bool varlen, bool batch_sizes_vary) {
  const Column one = Column::Ones(x.s.size());
  if (varlen) return {one, x.s, x.squares};
  std::vector<Column> shapes{one, x.b * x.s};
  if (paired) {
    shapes.push_back(x.b * x.t);
    shapes.push_back(x.b * x.s * x.t);
  } else {
    shapes.push_back(x.b * x.s.square());
  }
  if (batch_sizes_vary) shapes.push_back(x.b);
  return shapes;
}

void add_staircases(std::vector<Column>& shapes, const Column& b, const Column& length, std::span<const double> tiles) {
  for (const double tile : tiles)
    if (tile < length.maxCoeff()) shapes.push_back(b * (length / tile).ceil());
}

template <class Dimensions>
std::vector<Column> possible_shapes(const Dimensions& x, bool paired, bool varlen, bool batch_sizes_vary) {
  std::vector<Column> shapes;
  if (varlen) {
    shapes.push_back(x.s.sqrt());
    add_staircases(shapes, Column::Ones(x.s.size()), x.s, kTokenTiles);
    return shapes;
  }
  if (!batch_sizes_vary) shapes.push_back(x.b);
  for (const Column* side : {&x.s, &x.t}) {
    if (side == &x.t && !paired) continue;
    if (paired) shapes.push_back(x.b * side->square());
    shapes.push_back(x.b * side->cube());
    shapes.push_back(x.b * side->sqrt());
    if (batch_sizes_vary) shapes.push_back(*side);
    add_staircases(shapes, x.b, *side, kLengthTiles);
  }
  return shapes;
}

/// Shapes by what they are divided by. One that is 0 all over the run (lengths of 0) says nothing and is left out: mean 0.
Eigen::RowVectorXd means_of(const std::vector<Column>& shapes, const Eigen::VectorXd& shares) {
  Eigen::RowVectorXd means(static_cast<Eigen::Index>(shapes.size()));
  for (std::size_t j = 0; j < shapes.size(); ++j) {
    const double mean = shares.dot(shapes[j].matrix());
    means[static_cast<Eigen::Index>(j)] = mean > 0 && std::isfinite(mean) ? mean : 0;
  }
  return means;
}

/// Where every shape is 0 all over the run, one column of zeros stands for them: it says nothing, and no matrix is empty.
Shapes divided(const std::vector<Column>& shapes, const Eigen::RowVectorXd& means) {
  if (!(means.array() > 0).any()) return Shapes::Zero(shapes.front().size(), 1);
  Shapes all(shapes.front().size(), (means.array() > 0).count());
  Eigen::Index kept = 0;
  for (std::size_t j = 0; j < shapes.size(); ++j)
    if (const double mean = means[static_cast<Eigen::Index>(j)]; mean > 0) all.col(kept++) = shapes[j].matrix() / mean;
  return all;
}

bool batch_sizes_vary_in(const Column& b, const Eigen::VectorXd& shares, double one_batch_size) {
  return (b == b.maxCoeff()).select(shares.array(), 0.0).sum() <= one_batch_size;
}

}  // namespace

CostModel::Columns CostModel::columns_of(std::span<const SignatureCount> histogram) const {
  const auto size = static_cast<Eigen::Index>(histogram.size());
  Columns x{Column(size), Column(size), Column(size), Column(size)};
  for (Eigen::Index g = 0; g < size; ++g) {
    const Signature& signature = histogram[static_cast<std::size_t>(g)].signature;
    x.s[g] = signature.src_len;
    x.t[g] = paired_ ? signature.tgt_len : 0;
    x.b[g] = varlen_ ? 1 : signature.batch_size;
    x.squares[g] = static_cast<double>(signature.sq_tokens);
  }
  return x;
}

CostModel::CostModel(const RunSummary& run, const ModelConstants& constants)
    : CostModel(run.histogram, run.paired, run.varlen, constants) {}

CostModel::CostModel(std::span<const SignatureCount> histogram, bool paired, bool varlen, const ModelConstants& constants,
                     const std::vector<double>& statistic)
    : histogram_(histogram), paired_(paired), varlen_(varlen), constants_(constants), jagged_(constants, paired, varlen, longest_side(histogram)) {
  if (histogram.empty()) throw std::invalid_argument("CostModel: no signatures");
  shares_.resize(static_cast<Eigen::Index>(histogram.size()));
  for (std::size_t g = 0; g < histogram.size(); ++g) {
    shares_[static_cast<Eigen::Index>(g)] = static_cast<double>(histogram[g].count);
    iterations_ += static_cast<double>(histogram[g].count);
  }
  shares_ /= iterations_;
  const Columns x = columns_of(histogram);
  if (const double mean = shares_.dot(x.size(varlen_).matrix()); mean > 0) mean_size_ = mean;
  for (const SignatureCount& entry : histogram) places_.push_back(place_of(entry.signature));
  fill_shapes(x);
  if (!statistic.empty()) look_at(statistic);
  jagged_with_total_ = jagged_.with_sum(places_, shares_);
  jagged_of_total_ = shares_.dot(jagged_with_total_);
  const Eigen::RowVectorXd means = shares_.transpose() * possible_;
  rest_with_total_ = jagged_with_total_ + constants_.possible * (possible_ * means.transpose());
  rest_of_total_ = jagged_of_total_ + constants_.possible * means.squaredNorm();
}

void CostModel::fill_shapes(const Columns& x) {
  batch_sizes_vary_ = !varlen_ && batch_sizes_vary_in(x.b, shares_, constants_.one_batch_size);
  const std::vector<Column> free = free_shapes(x, paired_, varlen_, batch_sizes_vary_);
  const std::vector<Column> possible = possible_shapes(x, paired_, varlen_, batch_sizes_vary_);
  free_means_ = means_of(free, shares_);
  free_ = divided(free, free_means_);
  possible_ = divided(possible, means_of(possible, shares_));
}

/// A measured column over its mean, fitted by the free shapes in relative terms: each signature counts as often as it occurs.
void CostModel::look_at(const std::vector<double>& statistic) {
  constexpr double kSmall = 1e-9;  // below that share of the mean, a value's own size says nothing
  const Eigen::Map<const Eigen::VectorXd> raw(statistic.data(), shares_.size());
  const double largest = raw.cwiseAbs().maxCoeff();
  const Eigen::VectorXd scaled = raw / largest;
  const double mean = shares_.dot(scaled);
  if (!(mean > 0 && std::isfinite(mean))) return;  // nothing that the other shapes' totals could be compared with
  const Eigen::VectorXd values = scaled / mean;
  const Eigen::ArrayXd root = shares_.array().sqrt() / values.array().abs().max(kSmall);
  const Shapes weighted = free_.array().colwise() * root;
  const Eigen::VectorXd fitted = free_ * Eigen::ColPivHouseholderQR<Shapes>(weighted).solve((values.array() * root).matrix());
  stray_ = ((values - fitted).array() / fitted.array().abs().max(kSmall)).square().matrix();
  free_.conservativeResize(Eigen::NoChange, free_.cols() + 1);
  free_.col(free_.cols() - 1) = values;
  has_statistic_ = true;
}

CostCoordinates CostModel::place_of(const Signature& signature) const {
  const double s = signature.src_len, t = paired_ ? signature.tgt_len : 0;
  // A batch of empty samples costs something too: as one of one token each.
  if (varlen_) return {std::max(s, 1.0) / mean_size_, {s / kTokensPerUnit, static_cast<double>(signature.sq_tokens) / std::max(s, 1.0)}};
  return {signature.batch_size * std::max(s + t, 1.0) / mean_size_, {s, t}};
}

Shapes CostModel::free_of(std::span<const SignatureCount> histogram) const {
  if (has_statistic_) throw std::logic_error("CostModel: a statistic is not known of other signatures");
  return divided(free_shapes(columns_of(histogram), paired_, varlen_, batch_sizes_vary_), free_means_);
}

std::size_t CostModel::find(const Signature& signature) const {
  const auto found = std::lower_bound(histogram_.begin(), histogram_.end(), signature,
                                      [](const SignatureCount& entry, const Signature& s) { return entry.signature < s; });
  return found != histogram_.end() && found->signature == signature ? static_cast<std::size_t>(found - histogram_.begin()) : size();
}

// --- covariances -----------------------------------------------------------------------------------------------------------

double CostModel::rest(std::size_t a, std::size_t b) const {
  const auto i = static_cast<Eigen::Index>(a), j = static_cast<Eigen::Index>(b);
  return jagged_(places_[a], places_[b]) + constants_.possible * possible_.row(i).dot(possible_.row(j));
}

void CostModel::rest_column(std::size_t of, Eigen::VectorXd& column) const {
  column.resize(shares_.size());
  const CostCoordinates& place = places_[of];
  for (std::size_t g = 0; g < places_.size(); ++g) column[static_cast<Eigen::Index>(g)] = jagged_(place, places_[g]);
  for (Eigen::Index j = 0; j < possible_.cols(); ++j)
    column += (constants_.possible * possible_(static_cast<Eigen::Index>(of), j)) * possible_.col(j);
}

double CostModel::relative_disturbance(double iterations, double measurements) const {
  return constants_.iteration * constants_.iteration / iterations + constants_.measurement * constants_.measurement / measurements;
}

double CostModel::disturbance(std::size_t g, double iterations, double measurements) const {
  const double stray = stray_.size() > 0 ? stray_[static_cast<Eigen::Index>(g)] : 0;
  return places_[g].size * places_[g].size * (relative_disturbance(iterations, measurements) + stray);
}

double CostModel::own_disturbance() const {
  double squares = 0;
  for (std::size_t g = 0; g < places_.size(); ++g) squares += shares_[static_cast<Eigen::Index>(g)] * places_[g].size * places_[g].size;
  return squares * relative_disturbance(1, 1) / iterations_;
}

}  // namespace seqpoint
