// The commands that read, save and load the values of the bus.
#include "tests/scenario/shell_fixture.hpp"

#include <nlohmann/json.hpp>

namespace trellis {
namespace {

using testing::HasSubstr;

class ShellBus : public ShellFixture {};

TEST_F(ShellBus, TopicsAndShowReadTheBus) {
    run("explore a[0-1]");
    run("topics");
    EXPECT_THAT(out.take(),
                testing::MatchesRegex("hosts: hosts of 2 hosts, view .*\nselection: selection of 2 .*\n"));
    run("show hosts --json");
    EXPECT_EQ(nlohmann::json::parse(out.take()).at(1).at("name"), "a1");
    err.take();
    EXPECT_EQ(run("show selecton").status, 1);
    EXPECT_EQ(err.take(), "show: no value is called selecton; did you mean selection? (see topics)\n");
}

TEST_F(ShellBus, SaveAndLoadBringTheSessionBack) {
    cluster.shell = [](const std::string&, const ExecRequest&) {
        return FakeAnswer{"/home\n/tmp\n", "", {}, std::nullopt};
    };
    run("explore a[0-1]; smask a1; use ssh 'g w' '/x|y/'; export A=1; cd /tmp; savemask one; rmask; "
        "pushmask");
    run("smask a0; save " + file("s.json"));
    const std::string saved = contents(file("s.json"));
    EXPECT_EQ(nlohmann::json::parse(saved).at("format"), "trellis-session");
    Seat other{session};
    seat.places = {};
    seat.change_masks([&](Masks& masks) { masks = other.masks(); });
    run("use --clear; explore a[0-2]; load " + file("s.json"));
    EXPECT_THAT(err.take(), HasSubstr("loaded hosts, selection\n"));
    EXPECT_EQ(seat.places.of("a0"), Place{});
    EXPECT_EQ(seat.places.of("a1"), (Place{"/tmp", "/home", {{"A", "1"}}}));
    run("showmasks");
    EXPECT_EQ(out.take(), "selected: 2 of 3: a[0,2]\n@one: 2 of 3: a[1-2]\npushed: 3 of 3: a[0-2]\n");
    run("undo");
    EXPECT_EQ(seat.counts().selected, 3U);
    ASSERT_EQ(session.rules().rules().size(), 1U);
    EXPECT_EQ(session.rules().rules()[0].text(), "use ssh 'g w' '/x|y/'");
}

TEST_F(ShellBus, LoadedHostsCanBeExplored) {
    write(file("s.json"), R"({"format": "trellis-session", "version": 1, "time": 1, "use": [],
        "masks": {"current": [], "saved": {}, "stack": []}, "places": [], "values": [{"name": "hosts", "type": "hosts", "hosts": ["z0"], "view": 1,
        "time": 1, "value": [{"name": "z0", "state": "alive", "addresses": []}]}]})");
    EXPECT_EQ(run("load " + file("s.json")).status, 0);
    EXPECT_EQ(seat.counts().all, 0U);
    run("explore");
    EXPECT_EQ(seat.counts().all, 1U);
}

TEST_F(ShellBus, LoadRefusesWhatItDoesNotUnderstand) {
    const auto refusal = [&](const std::string& text) {
        write(file("s.json"), text);
        EXPECT_EQ(run("load " + file("s.json")).status, 1);
        return err.take();
    };
    const std::string head = R"({"format": "trellis-session", "version": 1, "time": 1,
        "masks": {"current": [], "saved": {}, "stack": []}, "places": [], "use": )";
    EXPECT_THAT(refusal("{"), HasSubstr("s.json: not JSON"));
    EXPECT_THAT(refusal("[]"), HasSubstr("expected an object"));
    EXPECT_THAT(refusal("{}"), HasSubstr("missing"));
    EXPECT_THAT(refusal(head + R"(["use x y z"], "values": []})"), HasSubstr("use[0]: expected ssh"));
    EXPECT_THAT(refusal(head + R"([], "values": [], "more": 1})"), HasSubstr("more: not known"));
    EXPECT_THAT(
        refusal(head + R"([], "values": [{"name": "t", "type": "tree", "hosts": [], "view": 1, "time": 1,
        "value": 1}]})"),
        HasSubstr("values[0].type: no type of value is called 'tree'"));
    EXPECT_THAT(
        refusal(head + R"([], "values": [{"name": "t", "type": "hosts", "hosts": [], "view": 1, "time": 1,
        "value": 1}]})"),
        HasSubstr("values[0].value: expected a list of hosts"));
    EXPECT_THAT(refusal(head + R"([1], "values": []})"), HasSubstr("use: expected a list"));
    const std::string format = R"({"format": "trellis-session", "version": 1, "time": 1, "use": [],
        "values": [], "places": )";
    EXPECT_THAT(refusal(format + R"([{"hosts": []}], "masks": {"current": [], "saved": {}, "stack": []}})"),
                HasSubstr("places[0].directory: missing"));
    EXPECT_THAT(refusal(format + R"([], "masks": {"current": [1], "saved": {}, "stack": []}})"),
                HasSubstr("masks.current: expected a list of host names"));
    EXPECT_EQ(run("load /nowhere").status, 1);
    EXPECT_THAT(err.take(), HasSubstr("load: cannot read /nowhere: No such file"));
}

TEST_F(ShellBus, SaveReplacesFilesInOneStep) {
    write(file("s.json"), "old");
    std::filesystem::permissions(file("s.json"), std::filesystem::perms(0600));
    EXPECT_EQ(run("save " + file("s.json")).status, 0);
    EXPECT_EQ(std::filesystem::status(file("s.json")).permissions(), std::filesystem::perms(0600));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
    EXPECT_EQ(run("save " + file("no/where")).status, 1);
    EXPECT_EQ(run("save " + file("s.json") + " nothing").status, 1);
}

}  // namespace
}  // namespace trellis
