import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from './run-program.ts'
import { readWorkflow } from './workflow.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Environment variables that name directories in which a run could find files of an earlier run. */
const DIRECTORIES = [
  'HOME',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'GOCACHE',
  'GOMODCACHE',
  'GOPATH',
  'npm_config_cache',
  'PIP_CACHE_DIR',
  'TMPDIR',
]
/** Environment variables that the jobs must not inherit. */
const UNSET = ['TOUCHSTONE_K6', 'TOUCHSTONE_CACHE', 'NPM_CONFIG_CACHE', 'NODE_COMPILE_CACHE', 'GOTMPDIR']
const SETTINGS = ['.npmrc', '.config/go/env', '.config/pip/pip.conf']

let home = ''

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'home-'))
  await mkdir(join(home, '.config/go'), { recursive: true })
  await mkdir(join(home, '.config/pip'))
  await mkdir(join(home, '.cache/touchstone'), { recursive: true })
  await Promise.all(SETTINGS.map((path) => writeFile(join(home, path), `# settings of ${path}\n`)))
})

afterAll(() => rm(home, { recursive: true }))

/** Sources `.ci/fresh` in a home directory that contains settings and an old cache, then runs commands. */
async function sourceFresh(commands: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const used = Object.fromEntries([...DIRECTORIES, ...UNSET].map((name) => [name, join(home, 'used')]))
  const env = { ...used, HOME: home, TMPDIR: tmpdir(), XDG_CONFIG_HOME: undefined, GOENV: join(home, '.config/go/env') }
  return runProgram(['bash', '-c', `set -euo pipefail\n. .ci/fresh\n${commands}`], { cwd: ROOT, env })
}

describe('.ci/fresh', () => {
  test.each(DIRECTORIES)('.ci/fresh replaces %s with an empty directory for the run, and removes it', async (name) => {
    const { stdout, stderr } = await sourceFresh(
      `mkdir -p "$${name}"; find "$${name}" -type f | sort; echo "= $${name}"; echo left > "$${name}/left"`,
    )
    expect(stderr).toBe('')
    const [found = '', path = ''] = stdout.trim().split('= ')
    expect(path.startsWith(join(tmpdir(), 'tmp.'))).toBe(true)
    const wanted = { HOME: SETTINGS.toSorted(), XDG_CONFIG_HOME: ['go/env', 'pip/pip.conf'] }[name] ?? []
    expect(found.trim().split('\n').filter(Boolean)).toEqual(wanted.map((file) => join(path, file)))
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })

  test('.ci/fresh keeps the settings for package registries', async () => {
    const { stdout } = await sourceFresh(`cat ${SETTINGS.map((path) => `"$HOME/${path}"`).join(' ')} "$GOENV"`)
    const lines = [...SETTINGS, '.config/go/env'].map((path) => `# settings of ${path}\n`)
    expect(stdout).toBe(lines.join(''))
  })

  test('.ci/fresh unsets variables that point to an earlier build', async () => {
    const { stdout } = await sourceFresh(UNSET.map((name) => `echo "\${${name}-unset}"`).join('\n'))
    expect(stdout).toBe('unset\n'.repeat(UNSET.length))
  })

  test('.ci/fresh keeps the exit code of the script', async () => {
    expect((await sourceFresh('stop_engine() { false; }\nexit 7')).exitCode).toBe(7)
  })
})

test('.ci/run sources .ci/fresh before any other command, and runs every job except the audit', async () => {
  const script = await readFile(join(ROOT, '.ci/run'), 'utf8')
  const commands = script.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(commands.slice(0, 3)).toEqual(['set -euo pipefail', 'cd "$(dirname "$0")/.."', '. .ci/fresh'])
  expect(commands).toContain('export TOUCHSTONE_NOTHING_LEFT_OUT=1')
  const started = /run-workflow\.ts (.*)$/m.exec(script)?.[1]?.split(/[ ,]/) ?? []
  const { jobs } = readWorkflow(join(ROOT, '.github/workflows/ci.yml'))
  expect(started.filter((name) => !name.startsWith('.ci/')).toSorted()).toEqual(
    Object.keys(jobs)
      .filter((name) => name !== 'audit')
      .toSorted(),
  )
})
