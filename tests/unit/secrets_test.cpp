// Secrets in commands, variables and logs: each row is a text, and the same text without them.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/artifacts/run_record.hpp"
#include "io/text/command_words.hpp"
#include "io/text/secrets.hpp"

namespace seqpoint::io::text {
namespace {

using Words = std::vector<std::string>;

/// The words as they are shown of a command of its own.
Words shown(const Words& words) { return Secrets().hidden_in(words); }

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
      {"https://h/d?sv=2024&sig=X%2B1&se=1 next", "https://h/d?sv=2024&sig=***&se=1 next"},
      {"https://s3/b?X-Amz-Signature=X1'", "https://s3/b?X-Amz-Signature=***'"},
      {"curl -H \"Authorization: Bearer X1\" u", "curl -H \"Authorization: ***\" u"},
      {"{'Authorization': 'Basic X1', 'n': 1}", "{'Authorization': ***, 'n': 1}"},
      {"sent bearer X1234567.", "sent bearer ***"},
      {"['t.py', '--api-key', 'X1', '--lr', '1']", "['t.py', '--api-key', ***, '--lr', '1']"},
      {"[\"--token\",\"X 1\",\"-v\"]", "[\"--token\",***,\"-v\"]"},
      {"login hf_abCDefGH12ijKL done", "login *** done"},
      {"(ghp_abCDefGH12, github_pat_11AA_22bb33)", "(***, ***)"},
      {"id=AKIAIOSFODNN7EXAMPLE", "id=***"},
      {"--api-key X\xff\xfe"
       "1 end",
       "--api-key *** end"},
  };
  for (const auto& [text, without] : texts) EXPECT_EQ(without_secrets(text), without);
}

TEST(Secrets, OtherTextsStay) {
  for (const std::string text :
       {"--max-tokens 512 --tokenizer gpt2", "--monkey 3 --key-dim 64", "pip install git+https://github.com/a/b@main",
        "--token --verbose", "https://host:8080/path", "--passes 2 --compat 1", "user@host:/data",
        "import hf_transfer; hf_hub_download(x); hf_checkpoints", "mysql -p word", "https://h/d?design=3&size=4",
        "unknown option --api-key, which is old", "AKIA is a prefix"})
    EXPECT_EQ(without_secrets(text), text);
}

TEST(Secrets, LeaveAWordAfterItsOption) {
  EXPECT_EQ(shown({"t.py", "--api-key", "X1", "--token", "--lr", "1", "--secret=X2"}),
            (Words{"t.py", "--api-key", "***", "--token", "--lr", "1", "--secret=***"}));
}

TEST(Secrets, LeaveTheShortOptionOfAPasswordInCommands) {
  EXPECT_EQ(shown({"t.py", "-p", "X1"}), (Words{"t.py", "-p", "***"}));
  EXPECT_EQ(shown({"sh", "-c", "mysql -u me -p X1 d; train"}), (Words{"sh", "-c", "mysql -u me -p *** d; train"}));
  EXPECT_EQ(shown({"srun", "-p", "gpu", "t.py", "-p", "X1"}), (Words{"srun", "-p", "gpu", "t.py", "-p", "***"}));
  for (const Words& words :
       {Words{"t.py", "-p", "8080"}, Words{"t.py", "-p", "0.1"}, Words{"/usr/bin/srun", "-p", "gpu"},
        Words{"conda", "run", "-p", "envs/a", "t.py"}, Words{"sh", "-c", "mkdir -p runs; train"},
        Words{"sh", "-c", "cd x && mkdir -p runs && train"}})
    EXPECT_EQ(shown(words), words);
}

TEST(Secrets, LeaveEveryTextOnceTheyAreKnown) {
  Secrets secrets;
  secrets.add(Words{"t.py", "--api-key", "tiger-1", "-p", "lion\"-2", "Authorization: Bearer puma-33",
                    "https://me:bear%404@h/x", "--pin-token", "12345", "sh -c 'x --auth \"wolf 5\"'"});
  secrets.add_variable("MY_TOKEN", "otter-6");
  secrets.add_variable("PWD", "/home/panther");
  secrets.add_variable("DB", "postgres://postgres:heron-7@h/d");
  secrets.add_variable("DEPLOY_KEY", "BEGIN\nfalcon-88\nEND");
  EXPECT_EQ(secrets.hidden_in("tiger-1,lion\"-2,lion\\\"-2,puma-33,bear%404,bear@4,wolf 5,otter-6,heron-7,falcon-88"),
            "***,***,***,***,***,***,***,***,***,***");
  EXPECT_EQ(secrets.hidden_in("12345 tiger /home/panther postgres me"), "12345 tiger /home/panther postgres me")
      << "short values, and what is no secret, stay in other texts";
  EXPECT_EQ(secrets.hidden_in(Words{"otter-6", "--pin-token", "12345"}), (Words{"***", "--pin-token", "***"}));
}

TEST(Secrets, TheLongerOfTwoIsHiddenFirst) {
  Secrets secrets;
  secrets.add_variable("A_TOKEN", "abcdef");
  secrets.add_variable("B_TOKEN", "abcdefgh");
  EXPECT_EQ(secrets.hidden_in("abcdefgh abcdef"), "*** ***");
}

TEST(Secrets, AreComparedByADigestThatIsTooShortToGiveThemAway) {
  using artifacts::JobRequest;
  const auto stored = [](const std::string& key) {
    return without_secrets(JobRequest{.builds = {{"run", {"t.py", "--api-key", key}}}, .order = ""}, Secrets());
  };
  EXPECT_EQ(stored("X1"), stored("X1"));
  EXPECT_NE(stored("X1"), stored("X2"));
  EXPECT_EQ(stored("X1").builds.front().words.back(), "***");
  EXPECT_EQ(stored("X1").builds.front().digest.size(), 8U);
  const JobRequest plain{.builds = {{"run", {"t.py"}}}, .order = ""};
  EXPECT_TRUE(without_secrets(plain, Secrets()).builds.front().digest.empty());
}

TEST(ShellWords, ShowEveryByte) {
  EXPECT_EQ(shell_words(Words{"a", "", "b c", "it's", "[1]", "{}", "größe"}), "a '' 'b c' 'it'\\''s' '[1]' '{}' größe");
  EXPECT_EQ(shell_words(Words{"a\nb\t'\\",
                              "\xff"
                              "1\x1b",
                              "\xc3"}),
            "$'a\\nb\\t\\'\\\\' $'\\3771\\033' $'\\303'");
}

}  // namespace
}  // namespace seqpoint::io::text
