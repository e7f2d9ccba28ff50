#include <gtest/gtest.h>

#include <cmath>

#include "core/project/projection.hpp"
#include "dense_model.hpp"
#include "io/profiles/profile_formats.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

select::Selection two_points() {
  select::Selection selection;
  selection.run.iterations = 10;
  selection.run.histogram = {{{10, 0, 4}, 7}, {{20, 0, 4}, 3}};
  selection.points.push_back({"sp1", {10, 0, 4}, {7 * select::Weight::kUnit}, {0}, {}});
  selection.points.push_back({"sp2", {20, 0, 4}, {3 * select::Weight::kUnit}, {1}, {}});
  return selection;
}

profile::ProfiledStep step(const std::string& key, std::vector<profile::Operation> kernels,
                           std::vector<profile::Operation> operators = {}) {
  profile::ProfiledStep out;
  out.key = key;
  out.host_ns = 1;
  out.gpu_sum_ns = 0;
  for (const profile::Operation& kernel : kernels) *out.gpu_sum_ns += kernel.ns;
  out.kernels = std::move(kernels);
  out.operators = std::move(operators);
  return out;
}

constexpr std::int64_t kSecond = 1'000'000'000;

/// Profiles of configurations, matched to the points.
class BreakdownTest : public ::testing::Test {
 protected:
  void add(const std::string& name, std::vector<profile::ProfiledStep> steps) {
    auto& profile = profiles_.emplace_back(1);
    profile[0].source = name + ".json";
    profile[0].steps = std::move(steps);
    tables_.push_back(profile::tables_of(profile, selection_, profile::NameRules{}, profile::TimeKind::gpu_sum).tables);
    measurements_.push_back(profile::match(tables_.back(), selection_));
    names_.push_back(name);
  }
  project::Breakdown run(project::BreakdownBy by, const profile::Categories& categories = {}) {
    std::vector<project::ProfiledConfiguration> configurations;
    for (std::size_t c = 0; c < names_.size(); ++c)
      configurations.push_back({names_[c], profiles_[c], tables_[c], 0, &measurements_[c]});
    return project::break_down(selection_, configurations, by, categories, names_.front());
  }

  select::Selection selection_ = two_points();
  std::vector<std::vector<profile::StepProfile>> profiles_;
  std::vector<std::vector<profile::ProfileTable>> tables_;
  std::vector<profile::Measurements> measurements_;
  std::vector<std::string> names_;
};

TEST_F(BreakdownTest, WeightTimesMeanOverTheRepeats) {
  // sp1: gemm 1 and 3 s, mean 2; softmax in one of two repeats, mean 0.5. sp2: gemm 10 s.
  add("v1", {step("sp1", {{"gemm", 2, kSecond}, {"softmax", 1, kSecond}}), step("sp1", {{"gemm", 4, 3 * kSecond}}),
             step("sp2", {{"gemm", 1, 10 * kSecond}})});
  const project::Breakdown breakdown = run(project::BreakdownBy::kernel);
  const auto& rows = breakdown.configurations.at(0).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "gemm");
  EXPECT_DOUBLE_EQ(rows[0].seconds, 7 * 2 + 3 * 10);
  EXPECT_DOUBLE_EQ(rows[0].count, 7 * 3 + 3 * 1);
  EXPECT_DOUBLE_EQ(rows[1].seconds, 7 * 0.5);
  EXPECT_DOUBLE_EQ(breakdown.configurations[0].seconds, 47.5);
  EXPECT_DOUBLE_EQ(rows[0].share + rows[1].share, 1);
  EXPECT_DOUBLE_EQ(rows[0].change.value(), 1);
}

TEST_F(BreakdownTest, AddsUpToTheProjection) {
  add("v1", {step("sp1", {{"a", 1, 123456789}, {"b", 1, 987654}}), step("sp2", {{"c", 1, 555555555}})});
  double total = 0;
  for (std::size_t p = 0; p < 2; ++p)
    total += selection_.points[p].weight.iterations() * measurements_[0].readings[0][p][0].value;
  EXPECT_NEAR(run(project::BreakdownBy::kernel).configurations.at(0).seconds, total, 1e-12 * total);
}

// One point tells nothing of how cost grows: the run is predicted to cost in proportion to its size, as the prior says.
TEST_F(BreakdownTest, OfASinglePointTheRunIsPredictedBySize) {
  add("v1", {step("sp1", {{"gemm", 1, kSecond}})});
  const project::Breakdown breakdown = run(project::BreakdownBy::kernel);
  double sizes = 0;
  for (const trace::ShapeCount& entry : selection_.run.histogram)
    sizes += static_cast<double>(entry.count) * entry.shape.src_len;
  const std::vector<double> length{static_cast<double>(selection_.points[0].shape.src_len)};
  const double v = testing::DenseModel(selection_.run, length, {1}, {1}).predicted_own(selection_.run).weights[0];
  EXPECT_NEAR(breakdown.configurations.at(0).seconds, v * static_cast<double>(selection_.run.iterations), 1e-9);
  EXPECT_NEAR(breakdown.configurations[0].seconds * length[0] / sizes, 1, 0.2);
  EXPECT_DOUBLE_EQ(breakdown.configurations[0].measured_weight, 0.7);
}

// gemm takes a second for every ten of the length, softmax one whatever the length: 2 x 1 + 3 x 2 + 1 x 3 + 4 x 5 and
// 10 s.
TEST_F(BreakdownTest, APointWithoutOperationsIsPredictedFromTheOthersAsInTheProjection) {
  selection_ = {};
  selection_.run.iterations = 10;
  selection_.run.histogram = {{{10, 0, 4}, 2}, {{20, 0, 4}, 3}, {{30, 0, 4}, 1}, {{50, 0, 4}, 4}};
  std::vector<profile::ProfiledStep> steps;
  for (const trace::ShapeCount& entry : selection_.run.histogram) {
    const std::uint32_t length = entry.shape.src_len;
    const std::string id = "sp" + std::to_string(selection_.points.size() + 1);
    selection_.points.push_back(
        {id, {length, 0, 4}, {static_cast<std::int64_t>(entry.count) * select::Weight::kUnit}, {length}, {}});
    if (length != 20) steps.push_back(step(id, {{"gemm", 1, length * kSecond / 10}, {"softmax", 1, kSecond}}));
  }
  add("v1", steps);
  const project::Breakdown breakdown = run(project::BreakdownBy::kernel);
  const auto& rows = breakdown.configurations.at(0).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].seconds, 31, 0.05 * 31);
  EXPECT_NEAR(rows[1].seconds, 10, 0.05 * 10);
  EXPECT_DOUBLE_EQ(breakdown.configurations[0].measured_weight, 0.7);
  const std::vector<project::NamedMeasurements> all{{"v1", measurements_.back()}};
  EXPECT_NEAR(project::project(selection_, all, {}).configurations.at(0).metrics.at(0).value,
              rows[0].seconds + rows[1].seconds, 1e-9);
}

TEST_F(BreakdownTest, ConfigurationsAreComparedWithTheBaseline) {
  add("old", {step("sp1", {{"sgemm_128", 1, 2 * kSecond}, {"relu", 1, kSecond}}),
              step("sp2", {{"sgemm_128", 1, 2 * kSecond}})});
  add("new",
      {step("sp1", {{"cutlass_gemm", 1, kSecond}, {"nccl", 1, kSecond}}), step("sp2", {{"cutlass_gemm", 1, kSecond}})});
  const project::Breakdown breakdown = run(project::BreakdownBy::category);
  const auto& rows = breakdown.configurations.at(1).rows;
  EXPECT_EQ(rows.at(0).name, "GEMM");
  EXPECT_DOUBLE_EQ(rows[0].change.value(), 0.5);
  EXPECT_EQ(rows.at(1).name, "communication");
  EXPECT_EQ(rows[1].change, std::nullopt) << "the baseline has none";
}

TEST_F(BreakdownTest, OperatorsStandInOnlyWhereNobodyHasKernels) {
  add("v1", {step("sp1", {}, {{"aten::mm", 1, kSecond}, {"(outside operators)", 0, kSecond}})});
  const project::Breakdown breakdown = run(project::BreakdownBy::category);
  EXPECT_FALSE(breakdown.kernels);
  EXPECT_EQ(breakdown.configurations[0].rows.size(), 2u);
  EXPECT_THROW(run(project::BreakdownBy::kernel), UsageError);
  EXPECT_NO_THROW(run(project::BreakdownBy::host_operator));
  add("v2", {step("sp1", {{"gemm", 1, kSecond}})});
  EXPECT_THROW(run(project::BreakdownBy::category), UsageError);
  EXPECT_THROW(run(project::BreakdownBy::host_operator), UsageError);
}

// Names that PyTorch, cuBLAS, cuDNN, rocBLAS, NCCL and Triton give to what they run.
TEST(Categories, KnowTheUsualNames) {
  const profile::Categories categories;
  const std::vector<std::pair<const char*, const char*>> names{
      {"volta_sgemm_128x64_nn", "GEMM"},
      {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn", "GEMM"},
      {"Cijk_Ailk_Bljk_HB_MT128x128x16_SE", "GEMM"},
      {"void cutlass::Kernel<cutlass_80_tensorop_s16816gemm>(Params)", "GEMM"},
      {"aten::addmm", "GEMM"},
      {"void gemv2T_kernel_val<int, float>(float)", "GEMM"},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(Flash_fwd_params)", "attention"},
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80", "attention"},
      {"aten::scaled_dot_product_attention", "attention"},
      {"void cudnn::cnn::im2col4d_kernel<float>(params)", "convolution"},
      {"void implicit_convolve_sgemm<float, 128>(int)", "convolution"},
      {"sm80_xmma_fprop_implicit_gemm_f16f16", "convolution"},
      {"cudnn::winograd_nonfused::winogradForwardData4x4", "convolution"},
      {"aten::cudnn_convolution", "convolution"},
      {"void convert_tensor<float>(float*)", "other"},
      {"elemWiseRNNcell<float, LSTM>", "recurrent"},
      {"aten::_cudnn_rnn", "recurrent"},
      {"GRU_elementWise_fp", "recurrent"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", "normalisation"},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>", "normalisation"},
      {"aten::native_batch_norm", "normalisation"},
      {"void at::native::multi_tensor_apply_kernel<TensorListMetadata, FusedAdamMathFunctor>", "optimiser"},
      {"aten::_foreach_add_", "optimiser"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "communication"},
      {"ncclKernel_AllGather_RING_LL_Sum_int8_t", "communication"},
      {"c10d::allreduce_", "communication"},
      {"Memcpy HtoD (Pinned -> Device)", "copy"},
      {"[CUDA memset]", "copy"},
      {"__amd_rocclr_copyBuffer", "copy"},
      {"aten::copy_", "copy"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, sum_functor>>", "reduction"},
      {"void (anonymous namespace)::softmax_warp_forward<float>", "reduction"},
      {"aten::sum", "reduction"},
      {"triton_red_fused_sum_0", "reduction"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>", "element-wise"},
      {"void at::native::elementwise_kernel<128, gpu_kernel_impl<lambda(float)#1>>", "element-wise"},
      {"triton_poi_fused_add_cos_sin_0", "element-wise"},
      {"aten::relu_", "element-wise"},
      {"my_own_kernel", "other"},
      {"(outside operators)", "other"}};
  for (const auto& [name, category] : names) EXPECT_EQ(categories.category_of(name), category) << name;
}

TEST(Categories, TheUsersOwnReplaceThem) {
  const profile::Categories categories = io::profiles::read_categories(
      io::stream::Input::from_memory("c.csv", "category,pattern\nmine,my_.*kernel\nrest,.\n"));
  EXPECT_EQ(categories.category_of("my_own_kernel"), "mine");
  EXPECT_EQ(categories.category_of("volta_sgemm"), "rest");
}

TEST(Categories, WhatIsNoTableOfPatternsIsRefused) {
  for (const char* const text : {"", "category\na\n", "category,pattern\n", "category,pattern\na,(\n",
                                 "category,pattern\na,\n", "category,pattern\na\n"})
    EXPECT_THROW(io::profiles::read_categories(io::stream::Input::from_memory("c.csv", text)), InputError) << text;
}

}  // namespace
}  // namespace seqpoint
