#include "shell/language/gxp_words.hpp"

#include "shell/hosts/regular_expression.hpp"
#include "shell/language/direct_command.hpp"

#include <optional>
#include <utility>

namespace trellis {
namespace {

using Words = std::vector<std::string>;

Failure not_known(std::string cause) {
    return Failure{FailureKind::invalid, "gxpc", "", std::move(cause) + "; see trellis-migration(7)"};
}

// GXP's expressions are matched from the beginning of a name.
std::string pattern(const std::string& expression) {
    return "/^(" + expression + ")/";
}

std::string joined(const Words& words, std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < words.size(); ++i)
        text += (i > first ? " " : "") + words[i];
    return text;
}

// Several commands, each only if the one before has succeeded.
std::string line_of(const std::vector<Words>& list, const std::vector<CommandEntry>& commands) {
    std::string line;
    for (const Words& words : list)
        line += (line.empty() ? "" : " && ") + direct_line(words, commands);
    return line;
}

// "3:4" is FIRST:SECOND; "3" is both.
std::pair<std::string, std::string> descriptors(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return {text, text};
    return {text.substr(0, colon), text.substr(colon + 1)};
}

// The options of e and mw, up to the command.
class ExecWords {
  public:
    Result<Words> read(const Words& words) {
        std::size_t at = 1;
        for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
            if (words[at] == "--") {
                ++at;
                break;
            }
            const bool flag = take_flag(words[at]);
            if (flag) continue;
            if (at + 1 == words.size()) return not_known(words[at] + " needs a value");
            if (!take(words[at], words[at + 1])) return not_known(words[0] + " knows no option " + words[at]);
            ++at;
        }
        if (at == words.size()) return not_known(words[0] + " needs a command");
        const bool joins = words[0] == "mw" || !master_.empty();
        Words result{joins ? "mw" : "e"};
        if (!on_.empty()) result.insert(result.end(), {"--on", on_});
        result.insert(result.end(), ours_.begin(), ours_.end());
        const std::string command = joined(words, at);
        if (joins)
            result.insert(result.end(),
                          {"--up", up_, "--down", down_, master_.empty() ? "cat" : master_, "--", command});
        else
            result.push_back(command);
        return result;
    }

  private:
    bool take_flag(const std::string& name) {
        if (name == "-a" || name == "--withall")
            on_ = "@all";
        else if (name == "--pty")
            ours_.push_back(name);
        else
            return false;
        return true;
    }

    bool take(const std::string& name, const std::string& value) {
        const std::string base = on_.empty() ? "@selected" : on_;
        if (name == "-m" || name == "--withmask")
            on_ = value == "0" ? "@selected" : "@" + value;
        else if (name == "-h" || name == "--withhostmask")
            on_ = base + " & " + pattern(value);
        else if (name == "-H" || name == "--withhostnegmask")
            on_ = base + " - " + pattern(value);
        else if (name == "--timeout")
            ours_.insert(ours_.end(), {name, value});
        else if (name == "--master")
            master_ = value;
        else
            return take_descriptors(name, value);
        return true;
    }

    // GXP's --down has the descriptor here first.
    bool take_descriptors(const std::string& name, const std::string& value) {
        const auto [first, second] = descriptors(value);
        if (name == "--up") {
            ours_.insert(ours_.end(), {name, first + "=" + second});
        } else if (name == "--down") {
            ours_.insert(ours_.end(), {name, second + "=" + first});
        } else if (name == "--updown" && first != second) {
            up_ = first;
            const std::size_t colon = second.find(':');
            down_ = second.substr(0, colon);
            master_ = colon == std::string::npos ? "cat" : second.substr(colon + 1);
        } else {
            return false;
        }
        return true;
    }

    std::string on_, master_, up_ = "3", down_ = "4";
    Words ours_;
};

// The rule, and the same from here if SRC means this machine.
Result<std::vector<Words>> use_rules(const Words& words, const std::string& own_name) {
    if (words.size() == 1) return std::vector<Words>{{"use"}};
    if (words[1] == "--delete" && words.size() == 2) return std::vector<Words>{{"use", "--clear"}};
    if (words[1].starts_with("-")) return not_known("use has no option " + words[1]);
    if (words[1] != "ssh" || words.size() < 3 || words.size() > 4)
        return not_known("expected use ssh SRC [TARGET]");
    const std::string to = pattern(words.back());
    const Result<RegularExpression> from = RegularExpression::parse("^(" + words[2] + ")");
    if (!from) return not_known("use: not understood: " + words[2]);
    std::vector<Words> rules;
    if (from->found_in(own_name)) rules.push_back({"use", "ssh", "here", to});
    rules.push_back({"use", "ssh", pattern(words[2]), to});
    return rules;
}

Result<Words> explore_words(const Words& words) {
    Words options, targets;
    bool table = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!words[i].starts_with("-")) {
            targets.push_back(words[i]);
            continue;
        }
        if (i + 1 == words.size()) return not_known(words[i] + " needs a value");
        const std::string& value = words[i + 1];
        if (words[i] == "-h" || words[i] == "--hostfile") {
            options.insert(options.end(), {"--table", value});
            table = true;
        } else if (words[i] == "-t" || words[i] == "--targetfile") {
            options.insert(options.end(), {"--file", value});
        } else if (words[i] == "--timeout") {
            options.insert(options.end(), {"--timeout", value});
        } else {
            return not_known("explore has no option " + words[i]);
        }
        ++i;
    }
    Words result{"explore"};
    result.insert(result.end(), options.begin(), options.end());
    for (const std::string& target : targets) {
        if (table) result.emplace_back("--pick");
        result.push_back(table ? pattern(target) : target);
    }
    return result;
}

// smask [-], then what keeps it.
std::vector<Words> masks(const Words& words) {
    Words select{"smask"}, keep{words[0]};
    for (std::size_t i = 1; i < words.size(); ++i)
        (words[i] == "-" ? select : keep).push_back(words[i]);
    if (words[0] == "pushmask") return {keep, select};
    return {select, keep};
}

Result<std::vector<Words>> commands_of(const Words& words, const std::string& own_name) {
    const std::string& name = words[0];
    if (name == "use") return use_rules(words, own_name);
    if (name == "savemask" || name == "pushmask") return masks(words);
    if (name == "ping") return std::vector<Words>{{"ping", "--all"}};
    if (name == "stat") return std::vector<Words>{{"explain", "@all"}};
    if (name == "showmasks") return std::vector<Words>{{"showmasks"}};
    for (const char* missing :
         {"trim", "bcp", "ep", "js", "make", "mapred", "reclaim", "rsh", "show_explore"})
        if (name == missing) return not_known("there is nothing like " + name + " here");
    if (name != "e" && name != "mw" && name != "explore") return std::vector<Words>{words};
    ExecWords exec;
    Result<Words> read = name == "explore" ? explore_words(words) : exec.read(words);
    if (!read) return read.error();
    return std::vector<Words>{std::move(*read)};
}

}  // namespace

Result<GxpCall> read_gxpc(const std::vector<std::string>& words, const std::string& own_name,
                          const std::vector<CommandEntry>& commands) {
    if (words.empty() || words[0] == "i") return GxpCall{};
    if (words[0] == "quit") {
        if (words.size() > 1) return not_known("quit has no option " + words[1]);
        return GxpCall{"", true};
    }
    // Their words are for the hosts' shell, as in GXP.
    if (words[0] == "cd" || words[0] == "export") return GxpCall{joined(words, 0), false};
    const Result<std::vector<Words>> list = commands_of(words, own_name);
    if (!list) return list.error();
    return GxpCall{line_of(*list, commands), false};
}

}  // namespace trellis
