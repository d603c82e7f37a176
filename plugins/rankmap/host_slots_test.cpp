#include "plugins/rankmap/host_slots.hpp"

#include <gmock/gmock.h>

namespace trellis::plugins::rankmap {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint32_t> slots_of(std::string_view text) {
    return read_slots(text).value().of({"a00", "a01", "b0"}).value();
}

TEST(RankmapSlots, OneNumberIsForAllHostsOthersForTheirs) {
    EXPECT_THAT(slots_of("4"), ElementsAre(4, 4, 4));
    EXPECT_THAT(slots_of("a[00-01]=3"), ElementsAre(3, 3, 1));
    EXPECT_THAT(slots_of("a[00,01]=0,2"), ElementsAre(0, 0, 2));
    EXPECT_THAT(slots_of("b0=5,a00=4096"), ElementsAre(4096, 1, 5));
}

TEST(RankmapSlots, SaysWhatIsWrong) {
    for (const char* text : {"", "x", "-1", "4097", "a00=", "=3", "a00=3=4", "a[00=3", "4,,2"})
        EXPECT_FALSE(read_slots(text)) << text;
    EXPECT_THAT(read_slots("2,a00=x").error().cause, HasSubstr("'a00=x': expected N or HOST=N"));
    EXPECT_THAT(read_slots("a00=1,a00=2").error().cause, HasSubstr("a00 has its slots twice"));
    EXPECT_THAT(read_slots("c9=1").value().of({"a00"}).error().cause, "c9 is none of the hosts");
}

}  // namespace
}  // namespace trellis::plugins::rankmap
