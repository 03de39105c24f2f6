import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as { scripts: Record<string, string> }
const BENCHES = Object.keys(scripts).filter((name) => name.startsWith('bench:'))

/** Runs a benchmark with flags that should make it exit. If it starts to measure instead, it exceeds the timeout. */
function run(bench: string, ...flags: string[]) {
  const [, , file = ''] = scripts[bench]?.split(' ') ?? []
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...flags], { cwd: ROOT, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test.each(BENCHES)('%s lists its flags', (bench) => {
  expect(run(bench, '--help')).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^Usage: .*\n(?: {2}--.*\n)+$/),
    stderr: '',
  })
})

test('a benchmark rejects an unknown flag', () => {
  const stderr = expect.stringMatching(/^error: .*nonsense.* See --help\.\n$/)
  expect(run('bench:start', '--nonsense')).toEqual({ status: 2, stdout: '', stderr })
})

test('a benchmark rejects a flag with an invalid number', () => {
  const stderr = "error: --rounds must be like 15, not 'many'. See --help.\n"
  expect(run('bench:start', '--rounds', 'many')).toEqual({ status: 2, stdout: '', stderr })
})
