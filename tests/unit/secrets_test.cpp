// Secrets in commands: each row is a text, and the same text without them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/artifacts/run_record.hpp"
#include "io/text/command_words.hpp"

namespace seqpoint::io::text {
namespace {

TEST(Secrets, LeaveTexts) {
  const std::vector<std::pair<std::string, std::string>> texts{
      {"python t.py --api-key X1", "python t.py --api-key ***"},
      {"python t.py --api_key=X1 --lr 1", "python t.py --api_key=*** --lr 1"},
      {"--hub-token 'a b' --hubToken \"c d\"", "--hub-token *** --hubToken ***"},
      {"WANDB_API_KEY=X1 python t.py", "WANDB_API_KEY=*** python t.py"},
      {"export TORCH_AUTH='X 1'; run", "export TORCH_AUTH=***; run"},
      {R"(--config {"password": "X1", "lr": 1})", R"(--config {"password": ***, "lr": 1})"},
      {"bash -lc \"train --db-password X1\"", "bash -lc \"train --db-password ***\""},
      {"logging.wandb.api_key=X1 lr=3", "logging.wandb.api_key=*** lr=3"},
      {"postgres://u:X1@h/d?a=1", "postgres://***@h/d?a=1"},
      {"redis://:X/1@h:6379", "redis://***@h:6379"},
      {"https://X1@github.com/a/b", "https://***@github.com/a/b"},
      {"https://h/d?token=X1&page=2", "https://h/d?token=***&page=2"},
  };
  for (const auto& [text, shown] : texts) EXPECT_EQ(without_secrets(text), shown);
}

TEST(Secrets, OtherTextsStay) {
  for (const std::string text :
       {"--max-tokens 512 --tokenizer gpt2", "--monkey 3 --key-dim 64", "pip install git+https://github.com/a/b@main",
        "--token --verbose", "https://host:8080/path", "--passes 2 --compat 1", "user@host:/data"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(Secrets, LeaveAWordAfterItsOption) {
  const std::vector<std::string> words{"t.py", "--api-key", "X1", "--token", "--lr", "1", "--secret=X2"};
  const std::vector<std::string> shown{"t.py", "--api-key", "***", "--token", "--lr", "1", "--secret=***"};
  EXPECT_EQ(without_secrets(words), shown);
}

TEST(Secrets, AreComparedByADigestThatIsTooShortToGiveThemAway) {
  using artifacts::JobRequest;
  const auto stored = [](const std::string& key) {
    return without_secrets(JobRequest{.builds = {{"run", {"t.py", "--api-key", key}}}, .order = ""});
  };
  EXPECT_EQ(stored("X1"), stored("X1"));
  EXPECT_NE(stored("X1"), stored("X2"));
  EXPECT_EQ(stored("X1").builds.front().words.back(), "***");
  EXPECT_EQ(stored("X1").builds.front().digest.size(), 8U);
  EXPECT_TRUE(without_secrets(JobRequest{.builds = {{"run", {"t.py"}}}, .order = ""}).builds.front().digest.empty());
}

}  // namespace
}  // namespace seqpoint::io::text
