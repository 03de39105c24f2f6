import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))
/** Duration of each fuzz target. `npm run test:go` runs only their seeds and the cases that were found. */
const FUZZ_SECONDS = Number(process.env['TOUCHSTONE_FUZZ_SECONDS'] ?? 180)

/** Runs Go in the directory of the extension. Returns its output, which ends with the error if it fails. */
function runGo(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0' }
  return new Promise((resolve) => {
    execFile('go', args, { cwd: EXTENSION, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve(error === null ? stdout : `${stdout}${stderr}${error.message}`),
    )
  })
}

/** Lists the fuzz targets with their packages. */
async function listTargets(): Promise<readonly { readonly name: string; readonly from: string }[]> {
  const withTests = '{{if .TestGoFiles}}{{.ImportPath}}{{end}}'
  const packages = (await runGo('list', '-f', withTests, './...')).split('\n').filter((line) => line !== '')
  const lists = await Promise.all(packages.map((from) => runGo('test', '-list', '^Fuzz', from)))
  return lists.flatMap((list, index) =>
    (list.match(/^Fuzz\w+$/gm) ?? []).map((name) => ({ name, from: packages[index] ?? '' })),
  )
}

test('fuzzing finds no fault in the readers of the k6 extension', async (context) => {
  context.skip((await runGo('version')).startsWith('go version') === false, 'Go is not installed')
  const targets = await listTargets()
  expect(targets.map(({ name }) => name)).toContain('FuzzBodyCounter')
  for (const { name, from } of targets) {
    // If a case fails, Go writes it to testdata/ of the package. Commit it as a seed.
    const output = await runGo('test', from, '-run=^$', `-fuzz=^${name}$`, `-fuzztime=${FUZZ_SECONDS}s`)
    expect(`${name}: ${output}`).toMatch(/^ok\s/m)
  }
})
