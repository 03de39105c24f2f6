import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmulatorProcess } from '../../cli/testing/start-emulator-process.ts'

const PROGRAM = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../examples/emulator/conformance.json', import.meta.url))
const WORSE = fileURLToPath(new URL('../../examples/defective/conformance.json', import.meta.url))
/** Limit that is too small for a document: kilobytes of a file system, or blocks of `ulimit -f` (512 or 1024 bytes). */
const FEW_KILOBYTES = 12

/** Command that creates a mount namespace, or undefined if the user has no permission to create one. */
const UNSHARE = [
  ['unshare', '--mount'],
  ['unshare', '--mount', '--user', '--map-root-user'],
].find(
  ([program = '', ...flags]) => spawnSync(program, [...flags, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0,
)
const WHY = 'a file system of its own cannot be mounted here (unshare needs root, or user namespaces that are let be)'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-unwritable-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a shell script. In it, `touchstone` is a function and `$OUT` is a directory for reports. */
function run(script: string, wrapper: readonly string[] = []): Ended {
  const [program = '', ...args] = [...wrapper, 'sh', '-c', `touchstone() { "$NODE" "$PROGRAM" "$@"; }\n${script}`]
  const env = { PATH: process.env['PATH'], NODE: process.execPath, PROGRAM, EXAMPLE, WORSE, OUT: folder }
  return spawnSync(program, args, { env, cwd: folder, encoding: 'utf8' })
}

/** Expects a run whose report cannot be written to print its verdict and one error message, and to exit with 4. */
function expectReported({ status, stdout, stderr }: Ended, code: string): void {
  expect(stdout).toContain('CONFORMANT')
  expect(stderr.trim().split('\n').at(-1)).toMatch(new RegExp(`^The report could not be written: ${code}: [^\\n]+$`))
  expect(stderr).not.toContain('    at ')
  expect(status).toBe(4)
}

const CONFORMANCE = 'touchstone conformance --only 4.1 --accept-incomplete --out "$OUT"'

test('exits with 4 if a report does not fit on the disk, and keeps the previous one', () => {
  writeFileSync(join(folder, 'conformance.json'), 'the one before')
  expectReported(run(`ulimit -f ${FEW_KILOBYTES}; ${CONFORMANCE}`), 'EFBIG')
  expect(readdirSync(folder)).toEqual(['conformance.json'])
  expect(readFileSync(join(folder, 'conformance.json'), 'utf8')).toBe('the one before')
})

test.each([
  ['a run that violates a budget', 1, `${CONFORMANCE} --budget 'chat.total.p50<=0.001ms'`],
  ['a comparison with a regression', 1, 'touchstone report compare "$EXAMPLE" "$WORSE" --format html --out "$OUT"'],
  ['a comparison without a regression', 4, 'touchstone report compare "$WORSE" "$EXAMPLE" --format html --out "$OUT"'],
  ['another format of a report', 4, 'touchstone report "$EXAMPLE" --out "$OUT"'],
  ['a matrix', 4, 'touchstone report matrix "$EXAMPLE" --out "$OUT"'],
  ['a history', 4, 'touchstone report history "$EXAMPLE" --out "$OUT"'],
])('leaves no file if the report of %s does not fit, and exits with %i', (_, code, command) => {
  const { status, stderr } = run(`ulimit -f ${FEW_KILOBYTES}; ${command}`)
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^The report could not be written: EFBIG: .+$/)
  expect(status).toBe(code)
  expect(readdirSync(folder)).toEqual([])
})

test.each([
  ['', []],
  ['echo before > "$OUT/target.json"; force=--force; ', ['target.json']],
])('init leaves no incomplete target file: %j', async (before, left) => {
  const emulator = await startEmulatorProcess(['--port', '0'])
  const init = `touchstone init --target ${emulator.url} --key sk-svc-touchstone-funded --file "$OUT/target.json" $force`
  const { status, stderr } = run(`${before}ulimit -f 1; ${init}`)
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^The target file could not be written: EFBIG: .+$/)
  expect(status).toBe(4)
  expect(readdirSync(folder)).toEqual(left)
  for (const name of left) expect(readFileSync(join(folder, name), 'utf8')).toBe('before\n')
})

test('exits with 4 on a full file system, and keeps the previous report', ({ skip }) => {
  skip(UNSHARE === undefined, WHY)
  const script = `mount -t tmpfs -o size=${FEW_KILOBYTES}k none "$OUT"; echo before > "$OUT/conformance.json"; ${CONFORMANCE}; code=$?; ls -A "$OUT" >&3; cat "$OUT/conformance.json" >&3; exit $code`
  const ended = run(`exec 3> left; ${script}`, UNSHARE)
  expectReported(ended, 'ENOSPC')
  expect(readFileSync(join(folder, 'left'), 'utf8')).toBe('conformance.json\nbefore\n')
})

test('exits with 4 on a file system that became read-only, and keeps the previous report', ({ skip }) => {
  skip(UNSHARE === undefined, WHY)
  const script = `mount -t tmpfs none "$OUT"; echo before > "$OUT/conformance.json"; mount -o remount,ro "$OUT"; ${CONFORMANCE}; code=$?; ls -A "$OUT" >&3; exit $code`
  expectReported(run(`exec 3> left; ${script}`, UNSHARE), 'EROFS')
  expect(readFileSync(join(folder, 'left'), 'utf8')).toBe('conformance.json\n')
})

test('rejects a read-only directory before it sends anything', ({ skip }) => {
  skip(UNSHARE === undefined, WHY)
  const out = 'mount -t tmpfs none "$OUT"; mount -o remount,ro "$OUT"; OUT="$OUT/new"'
  const { status, stdout, stderr } = run(`${out}; ${CONFORMANCE}`, UNSHARE)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(/^--out \S+ cannot be written \(EROFS\)\. Choose another directory\.\n$/)
})

test('exits with 4 if standard output is on a full disk, and still writes the report', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has a device that is always full')
  const { status, stderr } = run(`${CONFORMANCE} > /dev/full`)
  expect({ status, stderr }).toEqual({
    status: 4,
    stderr: expect.stringMatching(/^The output could not be written \(ENOSPC\)\.\n$/),
  })
  expect(readdirSync(folder)).toEqual(['conformance.html', 'conformance.json'])
})
