#include "agentd/os/startup_line.hpp"

#include <algorithm>
#include <array>

namespace trellis {

namespace {

constexpr std::size_t noise_limit = std::size_t{1} << 20;
constexpr std::size_t line_limit = 4096;

// The script, on several lines here for the reader; joined by blanks. DIRECTORIES is replaced.
// $n nonce, $k door, $h hash, $a to be sent anew, $m system and machine, $d directory, $f the agent's file,
// $t a temporary one, $q the forms that may run here, $w what went wrong so far. The first loop only looks,
// and both start as few programs as they can, each of which takes as long as the agent; the second one makes
// a directory, asks for the unpacker and has it unpack the file, of which the packed form stays beside it for
// the hosts that this one starts, and as a sign that the file is whole: whoever changes it makes it newer.
// The unpacker comes into an empty file that has shown that it may be executed. What cannot be kept is read
// all the same, since another form or directory may be asked for. The umask stays that of the login, which
// the user's commands inherit.
constexpr std::string_view script = R"sh(
USER=${USER:-$LOGNAME}; export USER HOME; w=; q="light full"; echo;
g() { echo "$n have $d"; if [ "$k" ]; then exec "$f" --knock "$n" "$k"; fi; exec "$f" --serve "$n"; };
for b in DIRECTORIES; do
if [ "$a" ]; then break; fi;
d=$b/trellis-$USER; f=$d/agentd-$h;
if [ -L "$d" ] || [ -L "$f" ]; then continue; fi;
if [ -O "$d" ] && [ -f "$f" ] && [ -O "$f" ] && [ -x "$f" ] && [ -f "$f.zst" ]; then
[ "$f" -nt "$f.zst" ] || g; fi;
done;
{ read m </proc/sys/kernel/arch && m="Linux $m"; } 2>/dev/null || m=$(uname -sm);
for b in DIRECTORIES; do
d=$b/trellis-$USER; f=$d/agentd-$h; t=$f.$n;
[ -d "$b" ] || mkdir -m 700 "$b" 2>/dev/null; mkdir -m 700 "$d" 2>/dev/null || chmod 700 "$d" 2>/dev/null;
if [ -L "$d" ] || [ -f "$d" ]; then w="$w$d is no directory; "; continue; fi;
if [ -O "$d" ] && [ -w "$d" ]; then :; else w="$w$d: cannot write; "; continue; fi;
if { true >"$t"; } 2>/dev/null && chmod 700 "$t"; then :; else w="$w$d: disk full; "; rm -f "$t"; continue; fi;
if [ -x "$t" ]; then :; else w="$w$d: files may not be executed; "; rm -f "$t"; continue; fi;
for p in $q; do
echo "$n need $p $m $d"; read s l || { rm -f "$t"; exit 1; };
r=$({ head -c "$s" | tee "$t" >/dev/null; } 2>&1); e=9;
if [ -z "$r" ]; then r=$("$t" "$f" $l 2>&1); e=$?; fi;
if [ $e -eq 0 ]; then g; fi;
if [ $e -gt 3 ]; then head -c "$l" >/dev/null; fi;
r=$(echo $r); r="$d: ${r:-incomplete}"; echo "$n failed $r";
if [ $e -eq 3 ]; then q=full; else break; fi;
done;
rm -f "$t" "$t.whole" "$t.zst"; w="$w$r; ";
done;
echo "$n cannot ${w%; }"; exit 1)sh";

// The script on one line.
std::string joined_script(const std::string& directories) {
    constexpr std::string_view placeholder = "DIRECTORIES";
    std::string line(script.substr(1));
    std::replace(line.begin(), line.end(), '\n', ' ');
    for (std::size_t at = 0; (at = line.find(placeholder, at)) != std::string::npos;)
        line.replace(at, placeholder.size(), directories);
    return line;
}

bool quotable(std::string_view directory) {
    return directory.find_first_of("'\\!\"`\n\r") == std::string_view::npos && !directory.empty() &&
           (directory[0] == '/' || directory == "$HOME" || directory.starts_with("$HOME/"));
}

// The first word of `text`, which is cut off together with the blank behind it.
std::string take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

std::optional<StartupReply> parse_reply(std::string_view line) {
    using Kind = StartupReply::Kind;
    constexpr std::array<std::pair<std::string_view, Kind>, 5> kinds{{{"have", Kind::have},
                                                                      {"need", Kind::need},
                                                                      {"failed", Kind::failed},
                                                                      {"cannot", Kind::cannot},
                                                                      {"started", Kind::started}}};
    const std::string word = take_word(line);
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == word; });
    if (kind == kinds.end()) return std::nullopt;
    StartupReply reply;
    reply.kind = kind->second;
    if (reply.kind == Kind::need) {
        const std::string form = take_word(line);
        if (form != "light" && form != "full") return std::nullopt;
        reply.form = form == "full" ? AgentForm::full : AgentForm::light;
        reply.system = take_word(line);
        reply.machine = take_word(line);
    }
    reply.detail = line;
    return reply;
}

}  // namespace

std::vector<std::string> default_agent_directories() {
    return {"/var/tmp", "$HOME/.cache", "/dev/shm", "/tmp"};
}

Result<std::string> startup_line(const StartupSpec& spec) {
    std::string directories;
    for (const std::string& directory : spec.directories) {
        if (!quotable(directory))
            return Failure{FailureKind::invalid, "start the agent", "",
                           "agent directory " + directory + ": an absolute path without quotes is needed"};
        directories += (directories.empty() ? "\"" : " \"") + directory + "\"";
    }
    return "exec /bin/sh -c 'n=" + spec.nonce + " k=" + spec.door + " h=" + spec.hash +
           " a=" + (spec.afresh ? "1" : "") + "; " + joined_script(directories) + "'";
}

std::string started_line(std::string_view nonce) {
    return "\n" + std::string(nonce) + " started\n";
}

void StartupReader::feed(std::string_view bytes) {
    text_.append(bytes);
}

Result<std::optional<StartupReply>> StartupReader::next() {
    const std::size_t begin = text_.find(mark_);
    const std::size_t end = begin == std::string::npos ? begin : text_.find('\n', begin);
    if (end == std::string::npos) {
        const std::size_t keep = begin == std::string::npos ? text_.size() : text_.size() - begin;
        if (keep > line_limit) {
            dropped_ += keep - line_limit;
            text_.erase(0, text_.size() - line_limit);
        }
        if (dropped_ > noise_limit)
            return Failure{FailureKind::cannot_start, "start the agent", "",
                           "the login scripts print without end"};
        return std::optional<StartupReply>{};
    }
    const std::size_t word = begin + mark_.size();
    std::string_view line = std::string_view(text_).substr(word, end - word);
    if (line.ends_with('\r')) line.remove_suffix(1);
    std::optional<StartupReply> reply = parse_reply(line);
    if (!reply)
        return Failure{FailureKind::cannot_start, "start the agent", "",
                       "unexpected reply: " + std::string(line)};
    text_.erase(0, end + 1);
    return reply;
}

std::string StartupReader::noise() const {
    std::string text = text_.substr(text_.size() - std::min<std::size_t>(text_.size(), 200));
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace trellis
