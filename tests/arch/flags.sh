# How the checks that parse the sources themselves have them compiled: as CMake does, but for no build of its own, so
# that neither precompiled headers nor another compiler's options are in the way. Sourced.
# shellcheck shell=bash
# shellcheck disable=SC2034
flags=(-std=c++20 -I. -Iinclude -DBOOST_ASIO_SEPARATE_COMPILATION -DBOOST_ASIO_NO_DEPRECATED
    '-DTRELLIS_VERSION="0"' '-DTRELLIS_LAB_FILES="."' '-DTRELLIS_ECHO_AGENT="."' '-DLAB_FILES="."' -w)
if [[ -e /usr/include/intel-ipsec-mb.h ]]; then flags+=(-DTRELLIS_IPSEC_MB); fi
