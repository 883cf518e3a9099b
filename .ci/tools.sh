# Installs what tests need beyond Deno, and runs a task; sourced by the scripts beside it.

# With CI=true a missing executable, or a missing tool that a test needs, is a failure and no skip.
export CI=true NO_COLOR=1 npm_config_loglevel=error

# Installs what is missing of the tools that judge films, trace system calls and move clocks. Where
# that fails the gate goes on: the tests that need a tool then fail and name it.
install_tools() {
  local missing=() before=()
  { command -v ffmpeg && command -v ffprobe; } >/dev/null || missing+=(ffmpeg)
  command -v chromium >/dev/null || missing+=(chromium)
  command -v strace >/dev/null || missing+=(strace)
  command -v systemd-analyze >/dev/null || missing+=(systemd)
  command -v faketime >/dev/null || missing+=(faketime)
  command -v zsh >/dev/null || missing+=(zsh)
  command -v fish >/dev/null || missing+=(fish)
  command -v groff >/dev/null || missing+=(groff)
  command -v minisign >/dev/null || missing+=(minisign)
  command -v nginx >/dev/null || missing+=(nginx-light)
  command -v caddy >/dev/null || missing+=(caddy)
  # It runs as an unprivileged user, who reads nothing that only root has.
  ((EUID != 0)) || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
  python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
  ((${#missing[@]} > 0)) && command -v apt-get >/dev/null || return 0
  ((EUID == 0)) || before=(sudo -n)
  export DEBIAN_FRONTEND=noninteractive
  "${before[@]}" apt-get -qq update &&
    "${before[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}"
}

# A Python client, each version in a folder of its own outside the repository: prints the folders,
# as TOLLGATE_TEST_PYTHONPATH (OpenAI's) and TOLLGATE_TEST_ANTHROPIC_PYTHONPATH name them to the tests.
install_python_client() {
  local name=$1 version folder folders=()
  for version in "${@:2}"; do
    folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/$name-$version"
    if [ ! -d "$folder" ]; then
      rm -rf "$folder.part"
      python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --target "$folder.part" "$name==$version" &&
        mv "$folder.part" "$folder" || return 1
    fi
    folders+=("$folder")
  done
  printf '%s:' "${folders[@]}"
}

# Debian's promtool alone, without the server that comes with it: prints its path, as
# TOLLGATE_TEST_PROMTOOL names it to the tests.
install_promtool() {
  local folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/promtool"
  if [ ! -x "$folder/usr/bin/promtool" ]; then
    rm -rf "$folder.part" && mkdir -p "$folder.part" &&
      (cd "$folder.part" && apt-get -qq download prometheus >&2 && dpkg -x prometheus_*.deb . &&
        rm prometheus_*.deb) &&
      rm -rf "$folder" && mv "$folder.part" "$folder" || return 1
  fi
  printf '%s' "$folder/usr/bin/promtool"
}

# Programs of Debian's packages where this machine has them not: unpacked, with the libraries that are
# missing, in a folder of its own; prints the folder with a script for each program.
install_unpacked() {
  local name=$1 programs=$2 folder program libraries
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/$name"
  if [ ! -d "$folder/bin" ]; then
    rm -rf "$folder.part" && mkdir -p "$folder.part/bin" || return 1
    (cd "$folder.part" && apt-get -qq download "${@:3}" >&2 &&
      for package in ./*.deb; do dpkg -x "$package" . || exit 1; done && rm ./*.deb) || return 1
    libraries=$(cd "$folder.part" && find usr/lib -name '*.so.*' -printf "$folder/%h\n" | sort -u | paste -sd:)
    for program in "$folder.part"/$programs; do
      printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" \
        "$folder/${program#"$folder.part/"}" >"$folder.part/bin/${program##*/}" || return 1
    done
    chmod -R a+rX "$folder.part" && chmod a+x "$folder.part"/bin/* &&
      mv "$folder.part" "$folder" || return 1
  fi
  printf '%s' "$folder/bin"
}

# A PostgreSQL server: prints the folder of its programs, as TOLLGATE_TEST_POSTGRES names it.
install_postgres() {
  local programs
  for programs in /usr/lib/postgresql/1[4-9]/bin; do
    [ ! -x "$programs/postgres" ] || { printf '%s' "$programs" && return; }
  done
  install_unpacked postgresql-15 'usr/lib/postgresql/15/bin/*' postgresql-15 postgresql-client-15 \
    libpq5 libllvm14 libxslt1.1 libxml2 libicu72 libldap-2.5-0 libsasl2-2
}

# A pooler before it: prints its program, as TOLLGATE_TEST_PGBOUNCER names it.
install_pgbouncer() {
  local folder
  if command -v pgbouncer >/dev/null; then
    command -v pgbouncer
  else
    folder=$(install_unpacked pgbouncer-1.18 'usr/sbin/pgbouncer' pgbouncer libc-ares2 libevent-2.1-7) &&
      printf '%s' "$folder/pgbouncer"
  fi
}

# Moto's S3 server, in a folder of its own, which TOLLGATE_TEST_MOTO names to the tests.
install_moto() {
  local version=5.2.5 folder
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/moto-$version"
  if [ ! -d "$folder" ]; then
    rm -rf "$folder.part"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
      --target "$folder.part" "moto[s3]==$version" flask==3.1.3 flask-cors==6.0.2 &&
      mv "$folder.part" "$folder" || return 1
  fi
  printf '%s' "$folder"
}

# An S3 server that checks signatures: built, which takes minutes. TOLLGATE_TEST_VERSITYGW names it.
install_versitygw() {
  local version=v1.8.0 folder
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/versitygw-$version"
  if [ ! -x "$folder/versitygw" ]; then
    GOBIN="$folder" CGO_ENABLED=0 \
      go install "github.com/versity/versitygw/cmd/versitygw@$version" >&2 || return 1
  fi
  printf '%s' "$folder/versitygw"
}

# A fresh Debian without anything of this machine, of which tests take copies: TOLLGATE_TEST_DEBIAN
# names it. Its packages come from where this machine's do.
install_debian() {
  local release=bookworm folder mirror
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/debian-$release"
  if [ ! -d "$folder" ]; then
    command -v debootstrap >/dev/null ||
      apt-get -qq install -y --no-install-recommends debootstrap >&2 </dev/null || return 1
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
      awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }')
    rm -rf "$folder.part"
    debootstrap --variant=minbase --include=ca-certificates,curl,openssl,systemd \
      "$release" "$folder.part" ${mirror:+"$mirror"} >&2 </dev/null &&
      mv "$folder.part" "$folder" || return 1
  fi
  printf '%s' "$folder"
}

# Schemathesis, in a folder of its own, which TOLLGATE_TEST_SCHEMATHESIS names to the tests.
install_schemathesis() {
  local version=4.32.5 folder
  folder="${XDG_CACHE_HOME:-$HOME/.cache}/tollgate-tests/schemathesis-$version"
  if [ ! -d "$folder" ]; then
    rm -rf "$folder.part"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
      --target "$folder.part" "schemathesis==$version" &&
      mv "$folder.part" "$folder" || return 1
  fi
  printf '%s' "$folder"
}

install_for_gate() {
  local log paths folder
  echo "== tools"
  log=$(mktemp)
  install_tools >"$log" 2>&1 </dev/null || tail -n 20 "$log"
  if paths=$(install_python_client openai 2.54.0 3.22.1 2>"$log"); then
    export TOLLGATE_TEST_PYTHONPATH=$paths
  else
    tail -n 20 "$log"
  fi
  if paths=$(install_python_client anthropic 0.125.0 2.12.0 2>"$log"); then
    export TOLLGATE_TEST_ANTHROPIC_PYTHONPATH=$paths
  else
    tail -n 20 "$log"
  fi
  if paths=$(install_python_client prometheus_client 0.26.0 2>"$log"); then
    export TOLLGATE_TEST_PROMETHEUS_PYTHONPATH=$paths
  else
    tail -n 20 "$log"
  fi
  if folder=$(install_moto 2>"$log"); then
    export TOLLGATE_TEST_MOTO=$folder
  else
    tail -n 20 "$log"
  fi
  if folder=$(install_postgres 2>"$log"); then
    export TOLLGATE_TEST_POSTGRES=$folder
  else
    tail -n 20 "$log"
  fi
  if folder=$(install_pgbouncer 2>"$log"); then
    export TOLLGATE_TEST_PGBOUNCER=$folder
  else
    tail -n 20 "$log"
  fi
  if command -v promtool >/dev/null; then
    export TOLLGATE_TEST_PROMTOOL=promtool
  elif paths=$(install_promtool 2>"$log"); then
    export TOLLGATE_TEST_PROMTOOL=$paths
  else
    tail -n 20 "$log"
  fi
  rm -f "$log"
}

install_for_nightly() {
  local log folder
  log=$(mktemp)
  command -v buildah >/dev/null || ! command -v apt-get >/dev/null ||
    apt-get -qq install -y --no-install-recommends buildah >"$log" 2>&1 </dev/null ||
    tail -n 20 "$log"
  if folder=$(install_schemathesis 2>"$log"); then
    export TOLLGATE_TEST_SCHEMATHESIS=$folder
  else
    tail -n 20 "$log"
  fi
  if folder=$(install_debian 2>"$log"); then
    export TOLLGATE_TEST_DEBIAN=$folder
  else
    tail -n 20 "$log"
  fi
  if folder=$(install_versitygw 2>"$log"); then
    export TOLLGATE_TEST_VERSITYGW=$folder
  else
    tail -n 20 "$log"
  fi
  rm -f "$log"
}

# Where nothing has told the counts, something has failed.
trap '[ -n "${told:-}" ] || echo "0 passed, 1 failed"' EXIT

# A task ends with the plain line itself, unless it does not come that far.
run_task() {
  local log status=0
  log=$(mktemp)
  npx --yes deno@2.9.6 task --quiet "$1" | tee "$log" || status=$?
  if tail -n 1 "$log" | grep -Eq '^[0-9]+ passed, [0-9]+ failed'; then told=yes; fi
  rm -f "$log"
  [ -n "${told:-}" ] || ((status > 0)) || status=1
  exit "$status"
}
