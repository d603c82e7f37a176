// The real start-up line in every login shell that this machine has, with an agent that is really pushed.
#include "agentd/os/bootstrap.hpp"

#include "agentd/os/children.hpp"
#include "agentd/os/fd_stream.hpp"
#include "agentd/os/loopback_sshd_test.hpp"
#include "agentd/os/stream_link.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <sys/mount.h>
#include <utility>
#include <zstd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(bytes).str();
}

class BootstrapTest : public testing::Test {
  public:
    BootstrapTest() {
        std::string pattern = "/tmp/trellis-bootstrap-XXXXXX";
        home = ::mkdtemp(pattern.data());
    }
    ~BootstrapTest() override { fs::remove_all(home); }

    // What a login with `shell` would do; the text of the failure or "" if the agent echoes a frame.
    std::string log_in(const std::string& shell, const std::vector<std::string>& directories) {
        SpawnProgress progress(std::chrono::seconds(10));
        StartupSpec spec = make_startup_spec(image, {}, progress).value();
        spec.directories = directories;
        DescriptorPair ends = make_socket_pair();
        ChildSpec child_spec;
        child_spec.process.argv = {shell, "-c", startup_line(spec).value()};
        child_spec.process.env = {{"HOME", home}, {"LOGNAME", "tester"}, {"USER", "tester"}};
        child_spec.input = child_spec.output = ends.second.get();
        const auto child = children.start(child_spec).value();
        ends.second.reset();
        auto stream = std::make_unique<FdStream>(context.get_executor(), std::move(ends.first));
        std::string result = "nothing";
        const auto talk = [&]() -> Task<void> {
            const Result<std::string> rest = co_await bootstrap(*stream, image, spec, authority, progress);
            if (!rest) {
                result = rest.error().cause;
                co_return;
            }
            StreamLink link(context.get_executor(), std::move(stream), *rest);
            Frame frame;
            frame.type = FrameType::ping;
            frame.body = "hello";
            link.send(frame);
            const Result<Frame> answer = co_await link.receive();
            result = answer && *answer == frame ? "" : "no echo";
        };
        asio::co_spawn(context, talk(), [](const std::exception_ptr& error) {
            if (error) std::rethrow_exception(error);
        });
        context.restart();
        while (result == "nothing" && context.run_one_for(std::chrono::seconds(10)) > 0) {
        }
        return result;
    }
    [[nodiscard]] std::string file_in(const std::string& directory) {
        return directory + "/trellis-tester/agentd-" + image.identity()->hash;
    }

    std::string home;
    asio::io_context context{1};
    Children children{context.get_executor()};
    AgentImage image{TRELLIS_ECHO_AGENT};
    test::TestAuthority authority;
};

TEST_F(BootstrapTest, WorksInEveryLoginShell) {
    for (const std::string shell : {"/bin/sh", "/bin/bash", "/usr/bin/dash", "/usr/bin/fish", "/usr/bin/tcsh",
                                    "/usr/bin/bsd-csh", "/usr/bin/zsh", "/usr/bin/ksh93", "/usr/bin/mksh"}) {
        if (!fs::exists(shell)) continue;
        fs::remove_all(home);
        fs::create_directory(home);
        EXPECT_EQ(log_in(shell, {"$HOME"}), "") << shell << ", pushed";
        // tcsh sets USER by itself.
        EXPECT_FALSE(fs::is_empty(home)) << shell;
        EXPECT_EQ(log_in(shell, {"$HOME"}), "") << shell << ", from the cache";
    }
}

TEST_F(BootstrapTest, NoisyStartupFilesDoNotDisturb) {
    std::ofstream(home + "/.cshrc") << "echo Welcome\necho -n 'no newline: '\n";
    std::ofstream(home + "/.tcshrc") << "echo Welcome\necho -n 'no newline: '\n";
    EXPECT_EQ(log_in("/usr/bin/tcsh", {"$HOME"}), "");
}

TEST_F(BootstrapTest, TheFileIsPrivateAndNothingElseIsLeft) {
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "");
    const fs::perms directory = fs::status(home + "/trellis-tester").permissions();
    EXPECT_EQ(directory, fs::perms::owner_all);
    std::map<std::string, fs::perms> found;
    for (const auto& entry : fs::directory_iterator(home + "/trellis-tester"))
        found[entry.path()] = entry.status().permissions();
    EXPECT_THAT(found,
                testing::UnorderedElementsAre(
                    testing::Pair(file_in(home), fs::perms::owner_all),
                    testing::Pair(file_in(home) + ".unpack", fs::perms::owner_all),
                    testing::Pair(file_in(home) + ".zst", fs::perms::owner_read | fs::perms::owner_write)));
}

TEST_F(BootstrapTest, ThePackedFileThatWasSentIsSentOn) {
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "");
    for (const std::string part : {"", ".unpack", ".zst"})
        EXPECT_EQ(bytes_of(file_in(home) + part), bytes_of(TRELLIS_ECHO_AGENT + part));
    std::ofstream(file_in(home) + ".zst") << "not what was sent";
    const std::string second = home + "/second";
    AgentImage received(file_in(home));
    std::swap(image, received);
    EXPECT_THAT(log_in("/bin/sh", {"$HOME/second"}), testing::HasSubstr("what came is damaged"));
    EXPECT_TRUE(fs::is_empty(second + "/trellis-tester"));
}

TEST_F(BootstrapTest, AHostWithoutMemoryForTheAgentSaysSo) {
    const std::string agent = TRELLIS_ECHO_AGENT, shell = home + "/shell";
    const auto enough_for_one = (fs::file_size(agent) + fs::file_size(agent + ".zst") / 2) / 1024;
    std::ofstream(shell) << "#!/bin/sh\nulimit -v " << enough_for_one << "\nexec /bin/sh \"$@\"\n";
    fs::permissions(shell, fs::perms::owner_all);
    EXPECT_THAT(log_in(shell, {"$HOME"}), testing::HasSubstr("out of memory"));
    EXPECT_TRUE(fs::is_empty(home + "/trellis-tester"));
}

// The agent's files in a directory, with a light form that ends with a failure whatever it is told.
std::string with_unfit_light_form(const std::string& program) {
    const std::string unfit = bytes_of("/bin/false");
    std::string packed(ZSTD_compressBound(unfit.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), unfit.data(), unfit.size(), 1));
    fs::create_directories(fs::path(program).parent_path());
    for (const std::string part : {"", ".unpack", ".zst"})
        fs::copy(TRELLIS_ECHO_AGENT + part, program + part);
    std::ofstream(program + ".light.zst", std::ios::binary) << packed;
    return program;
}

TEST_F(BootstrapTest, WhereTheLightFormDoesNotRunTheFullOneIsSent) {
    image = AgentImage(with_unfit_light_form(home + "/source/agent"));
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "");
    EXPECT_EQ(bytes_of(file_in(home)), bytes_of(TRELLIS_ECHO_AGENT));
    fs::remove(home + "/source/agent.zst");
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "") << "from the cache";
}

TEST_F(BootstrapTest, AnAgentThatHasOnlyTheLightFormAsksForTheFullOne) {
    const std::string program = with_unfit_light_form(home + "/source/agent");
    const std::string sent = home + "/source/agentd-" + AgentImage(program).identity()->hash;
    authority.agent = *AgentImage(program).parcel(AgentForm::full).value();
    for (const std::string part : {"", ".unpack"})
        fs::rename(program + part, sent + part);
    fs::rename(program + ".light.zst", sent + ".zst");
    image = AgentImage(sent);
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/here"}), "");
    EXPECT_EQ(bytes_of(file_in(home + "/here")), bytes_of(TRELLIS_ECHO_AGENT));
    authority.agent.clear();
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/there"}),
              home + "/there/trellis-tester: the agent does not run here");
    EXPECT_FALSE(fs::exists(file_in(home + "/there")));
}

TEST_F(BootstrapTest, ATruncatedFileOrASymbolicLinkIsNotUsed) {
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "");
    fs::remove(file_in(home));
    std::ofstream(file_in(home)) << "cut short";
    fs::permissions(file_in(home), fs::perms::owner_all);
    EXPECT_EQ(log_in("/bin/sh", {"$HOME"}), "");
    EXPECT_EQ(fs::file_size(file_in(home)), fs::file_size(TRELLIS_ECHO_AGENT));
    fs::create_directory(home + "/second");
    fs::create_directory_symlink(home + "/trellis-tester", home + "/second/trellis-tester");
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/second"}), home + "/second/trellis-tester is no directory");
}

TEST_F(BootstrapTest, TheNextDirectoryServesWhereOneCannotBeWritten) {
    std::ofstream(home + "/file") << "x";
    EXPECT_EQ(log_in("/bin/sh", {"/proc", "$HOME/file", "$HOME/missing/too", "$HOME/new"}), "");
    EXPECT_TRUE(fs::exists(file_in(home + "/new")));
    EXPECT_EQ(log_in("/bin/sh", {"/proc"}), "/proc/trellis-tester: cannot write");
}

TEST_F(BootstrapTest, FullAndNonExecutableDirectoriesAreNamed) {
    const std::string full = home + "/full";
    const std::string noexec = home + "/noexec";
    fs::create_directory(full);
    fs::create_directory(noexec);
    const std::string fuller = home + "/fuller";
    fs::create_directory(fuller);
    if (::mount("trellis", full.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "needs root";
    ::mount("trellis", fuller.c_str(), "tmpfs", 0, "size=100k");
    ::mount("trellis", noexec.c_str(), "tmpfs", MS_NOEXEC, "size=30m");
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/noexec"}), noexec + "/trellis-tester: files may not be executed");
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/full"}), full + "/trellis-tester: No space left on device");
    EXPECT_THAT(log_in("/bin/sh", {"$HOME/fuller"}),
                testing::AllOf(testing::StartsWith(fuller + "/trellis-tester: tee: "),
                               testing::EndsWith("No space left on device")));
    EXPECT_EQ(log_in("/bin/sh", {"$HOME/full", "$HOME/fuller", "$HOME/noexec", "$HOME/good"}), "");
    EXPECT_TRUE(fs::is_empty(full + "/trellis-tester"));
    ::umount2(fuller.c_str(), MNT_DETACH);
    ::umount2(full.c_str(), MNT_DETACH);
    ::umount2(noexec.c_str(), MNT_DETACH);
}

TEST_F(BootstrapTest, AShellThatRefusesIsQuoted) {
    std::ofstream(home + "/nologin") << "#!/bin/sh\necho This account is closed.\n";
    fs::permissions(home + "/nologin", fs::perms::owner_all);
    EXPECT_EQ(log_in(home + "/nologin", {"$HOME"}), "This account is closed.");
}

TEST(AgentImage, KnowsTheMachineAndRefusesWhatIsNoExecutable) {
    AgentImage image(TRELLIS_ECHO_AGENT);
    EXPECT_FALSE(image.identity()->machine.empty());
    EXPECT_EQ(image.identity()->hash.size(), 64u);
    AgentImage text("/etc/passwd");
    EXPECT_EQ(text.identity().error().cause, "/etc/passwd is no executable");
    AgentImage missing("/no/such/file");
    EXPECT_EQ(missing.identity().error().kind, FailureKind::cannot_start);
}

}  // namespace
}  // namespace trellis
