#include "plugins/rankmap/rank_file.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace trellis::plugins::rankmap {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const RankOrder zigzag{"pattern", {{"a0", 0}, {"a0", 1}, {"b-1.x_y", 0}, {"a0", 2}}};

TEST(RankFile, OpenMpiNamesEachRank) {
    const std::string lines = "rank 0=a0 slot=0\nrank 1=a0 slot=1\nrank 2=b-1.x_y slot=0\nrank 3=a0 slot=2\n";
    EXPECT_EQ(rank_file(zigzag, Format::openmpi).value(), lines);
    EXPECT_EQ(rank_file(zigzag, Format::openmpi5).value(), lines);
}

TEST(RankFile, HydraAndSlurmKeepTheOrder) {
    EXPECT_EQ(rank_file(zigzag, Format::mpich).value(), "a0:2\nb-1.x_y:1\na0:1\n");
    EXPECT_EQ(rank_file(zigzag, Format::slurm).value(), "a0\na0\nb-1.x_y\na0\n");
}

TEST(RankFile, JsonIsReadAgain) {
    const auto json = RanksValue(zigzag).to_json();
    const auto value = RanksValue::from_json(json).value();
    EXPECT_EQ(dynamic_cast<const RanksValue&>(*value).order(), zigzag);
    EXPECT_EQ(value->to_text(), "0-1  a0\n2  b-1.x_y\n3  a0\n");
    for (const char* wrong : {R"({"ranks": []})", R"([])", R"(7)"})
        EXPECT_FALSE(RanksValue::from_json(nlohmann::json::parse(wrong))) << wrong;
    auto twice = json;
    twice["ranks"][1]["slot"] = 0;
    EXPECT_EQ(RanksValue::from_json(twice).error().cause, "ranks[1]: not as trellis-rankmap(1) says");
}

TEST(RankFile, RefusesNamesThatItsReadersWouldMisread) {
    for (const char* name : {"a b", "a:1", "fd00::1", "", "a\n", "a=b", "#a"}) {
        const RankOrder order{"name", {{name, 0}}};
        EXPECT_FALSE(rank_file(order, Format::openmpi)) << name;
        EXPECT_FALSE(rank_file(order, Format::slurm)) << name;
    }
}

TEST(RankFile, LaunchersAreGivenTheFileAndTheProgramWordByWord) {
    const std::vector<std::string> program{"./a b", "it's"};
    const auto command = [&](Format format, const char* launcher) {
        return launch_command(zigzag, format, "/tmp/x y", launcher, program);
    };
    EXPECT_EQ(command(Format::openmpi, "mpirun -q"),
              R"(mpirun -q --rankfile '/tmp/x y' -np 4 './a b' 'it'\''s')");
    EXPECT_THAT(command(Format::openmpi5, "mpirun"), HasSubstr("--map-by 'rankfile:file=/tmp/x y' -np 4 "));
    EXPECT_THAT(command(Format::mpich, "mpiexec"), StartsWith("mpiexec -f '/tmp/x y' -n 4 "));
    EXPECT_THAT(command(Format::slurm, ""),
                StartsWith("SLURM_HOSTFILE='/tmp/x y' srun -m arbitrary -n 4 -N 2 "));
    EXPECT_THAT(command(Format::openmpi, ""), HasSubstr("mpirun.openmpi"));
    EXPECT_THAT(command(Format::mpich, ""), EndsWith(R"( './a b' 'it'\''s')"));
}

}  // namespace
}  // namespace trellis::plugins::rankmap
