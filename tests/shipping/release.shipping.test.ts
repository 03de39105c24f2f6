import { createHash } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, type TestContext } from 'vitest'
import { PLATFORMS, writeK6Package } from '../../packaging/k6-package.ts'
import { runProgramOrThrow, runProgram } from './run-program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GITHUB = { GITHUB_SERVER_URL: 'https://github.test', GITHUB_REPOSITORY: 'Someone/touchstone' }
const REPOSITORY = { type: 'git', url: 'git+https://github.test/Someone/touchstone.git' }
/** Content that replaces the k6 binary, which these tests do not run. */
const K6_BYTES = 'a program'
const K6_SHA256 = createHash('sha256').update(K6_BYTES).digest('hex')

let directory = ''
let out = ''
let version = ''
let reason: string | undefined

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-release-'))
  const go = await runProgram(['go', 'version'], { cwd: ROOT }).catch(() => undefined)
  if (go === undefined) {
    reason = 'Go is not installed, which lists the modules of k6'
    return
  }
  // The cast is safe: npm requires this field.
  version = (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version
  out = join(directory, 'release')
  await writeFile(join(directory, 'k6'), K6_BYTES)
  await chmod(join(directory, 'k6'), 0o755)
  // Packs a stand-in for the package, because the tests of the package run the build at the same time.
  const tarball = await packStandIn()
  const flags = ['--out', out, '--platform', 'linux-x64', '--k6', join(directory, 'k6'), '--tarball', tarball]
  await runProgramOrThrow([process.execPath, 'packaging/release.ts', ...flags], { cwd: ROOT, env: GITHUB })
}, 300_000)

afterAll(() => rm(directory, { recursive: true, force: true }))

/** Packs the manifest of the repository and the only file of `dist` that the release script reads. */
async function packStandIn(): Promise<string> {
  const folder = join(directory, 'package')
  const files = { 'package.json': join(ROOT, 'package.json') }
  await runProgramOrThrow(['mkdir', '-p', join(folder, 'dist')], { cwd: directory })
  await writeFile(join(folder, 'package.json'), await readFile(files['package.json']))
  await writeFile(join(folder, 'dist', 'package.json'), JSON.stringify({ version }))
  await runProgramOrThrow(['tar', '-czf', 'touchstone.tgz', 'package'], { cwd: directory })
  return join(directory, 'touchstone.tgz')
}

function needRelease(context: TestContext): void {
  if (reason !== undefined) context.skip(reason)
}

describe('a release', () => {
  test('a release contains packages, bills of materials, notes, and the checksum of each file', async (context) => {
    needRelease(context)
    const files = (await readdir(out)).toSorted()
    expect(files).toEqual([
      'NOTES.md',
      'SHA256SUMS',
      'k6-linux-x64.cdx.json',
      `touchstone-${version}.tgz`,
      `touchstone-k6-linux-x64-${version}.tgz`,
      'touchstone.cdx.json',
    ])
    const sums = await readFile(join(out, 'SHA256SUMS'), 'utf8')
    expect(sums.match(/ {2}\S+$/gm)).toEqual(
      [
        'k6-linux-x64.cdx.json',
        `touchstone-${version}.tgz`,
        `touchstone-k6-linux-x64-${version}.tgz`,
        'touchstone.cdx.json',
      ].map((name) => `  ${name}`),
    )
    await runProgramOrThrow(['sha256sum', '--check', '--quiet', 'SHA256SUMS'], { cwd: out })
    expect(await readFile(join(out, 'NOTES.md'), 'utf8')).toMatch(
      /^### Changes since the draft 0\.1\n(?:(?!^## ).*\n)+$/m,
    )
  })

  test('a released touchstone names k6 with its checksum, and the repository that npm compares with the provenance', async (context) => {
    needRelease(context)
    const read = async (path: string) => {
      const { stdout } = await runProgramOrThrow(['tar', '-xOzf', `touchstone-${version}.tgz`, `package/${path}`], {
        cwd: out,
      })
      return JSON.parse(stdout)
    }
    const manifest = await read('package.json')
    expect(manifest).toMatchObject({
      version,
      repository: REPOSITORY,
      optionalDependencies: { '@touchstone/k6-linux-x64': version },
    })
    expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['private']))
    expect((await read('dist/package.json')).k6).toEqual({ '@touchstone/k6-linux-x64': K6_SHA256 })
  })

  test('the bills of materials list npm packages and Go modules with their versions', async (context) => {
    needRelease(context)
    const list = async (name: string): Promise<readonly string[]> =>
      JSON.parse(await readFile(join(out, name), 'utf8')).components.map(({ purl }: { readonly purl: string }) => purl)
    const packages = await list('touchstone.cdx.json')
    expect(packages).toContainEqual(expect.stringMatching(/^pkg:npm\/fastify@5\.\d+\.\d+$/))
    expect(packages.filter((purl) => /vitest|typescript/.test(purl))).toEqual([])
    expect(await list('k6-linux-x64.cdx.json')).toContainEqual(
      expect.stringMatching(/^pkg:golang\/go\.k6\.io\/k6\/v2@v2\./),
    )
  })
})

describe.each(Object.entries(PLATFORMS))('the package of k6 for %s', (name, platform) => {
  test('the package of k6 names its platform, and contains the program, its source, licences and checksum', async (context) => {
    needRelease(context)
    const folder = join(directory, `k6-${name}`)
    const file = platform.os === 'win32' ? 'k6.exe' : 'k6'
    const options = { folder, version, k6: join(directory, 'k6'), repository: REPOSITORY }
    expect(writeK6Package(platform, options)).toBe(K6_SHA256)
    const read = (path: string) => readFile(join(folder, path), 'utf8')
    const { description, ...manifest } = JSON.parse(await read('package.json'))
    expect(manifest).toEqual({
      name: `@touchstone/k6-${name}`,
      version,
      license: 'AGPL-3.0-only',
      repository: REPOSITORY,
      os: [platform.os],
      cpu: [platform.cpu],
      preferUnplugged: true,
    })
    expect(description).toContain(name)
    expect(await read(`bin/${file}`)).toBe(K6_BYTES)
    expect(await read('LICENSE')).toMatch(/^### GNU AFFERO GENERAL PUBLIC LICENSE\n\nVersion 3,/)
    expect(await read('THIRD-PARTY-LICENSES')).toMatch(/^go\.k6\.io\/k6\/v2 v2/m)
    expect(await read('source/go.mod')).toContain('module touchstone/k6')
    const readme = await read('README.md')
    expect(readme).toMatch(/<https:\/\/github\.com\/grafana\/k6\/tree\/v2\.\d+\.\d+>/)
    expect(readme).toContain(`\`bin/${file}\`: `)
    expect(readme).toContain(`SHA-256 \`${K6_SHA256}\``)
    expect(readme).toContain(`CGO_ENABLED=0 GOOS=${platform.goOs} GOARCH=${platform.goArch} go build`)
    expect(JSON.parse(await read('sbom.cdx.json')).metadata.component.hashes).toEqual([
      { alg: 'SHA-256', content: K6_SHA256 },
    ])
  })
})

describe('the scripts that publish', () => {
  const TAG = { GITHUB_REF_TYPE: 'tag', GITHUB_ACTOR: 'someone', ...GITHUB }

  /** Runs a script of the release workflow. Stand-ins replace the programs that it calls, and print their arguments. */
  async function publish(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    programs: readonly string[] = [],
  ) {
    const folder = await mkdtemp(join(directory, 'programs-'))
    for (const program of programs) {
      // `npm config get registry` must print an address, `npm view` the published version, and `gh api` a number of
      // successful runs.
      const answers =
        '"config get"*) echo https://packages.test/ ;; view*k6*) echo "$PUBLISHED" ;; view*) ;; *ci.yml*) echo "$PASSED" ;;'
      await writeFile(join(folder, program), `#!/bin/sh\ncase "$*" in ${answers} *) echo "${program} $*" ;; esac\n`)
      await chmod(join(folder, program), 0o755)
    }
    const PATH = [folder, dirname(process.execPath), process.env['PATH']].join(delimiter)
    const none = { GITHUB_REF_TYPE: '', NPM_TOKEN: '', GITHUB_TOKEN: '' }
    const { exitCode, stdout, stderr } = await runProgram(['bash', ...args], {
      cwd: ROOT,
      env: { ...none, PATH, ...env },
    })
    return { exitCode, stderr, lines: stdout.trim().split('\n') }
  }
  const packages = () => ['.github/publish-packages.sh', out]

  test('a release requires that CI has passed on the commit of its tag', async () => {
    const script = ['.github/require-ci.sh']
    const env = { ...TAG, GITHUB_SHA: 'abc123' }
    const passed = await publish(script, { ...env, PASSED: '1' }, ['gh'])
    expect(passed).toMatchObject({ exitCode: 0, stderr: '' })
    const { exitCode, stderr } = await publish(script, { ...env, PASSED: '0' }, ['gh'])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('CI has not passed on abc123.')])
    expect(await publish(script, {})).toMatchObject({ exitCode: 0, lines: [expect.stringContaining('Dry run')] })
  })

  test('npm checks and lists each package, k6 first, in a dry run without a tag or a token', async (context) => {
    needRelease(context)
    for (const env of [{}, { NPM_TOKEN: 'npm_secret' }, { GITHUB_REF_TYPE: 'tag' }]) {
      const { exitCode, lines } = await publish(packages(), env)
      expect([exitCode, lines]).toEqual([
        0,
        [expect.stringContaining('Dry run'), `+ @touchstone/k6-linux-x64@${version}`, `+ touchstone@${version}`],
      ])
    }
  })

  test('a tag with a token publishes each package with provenance, k6 first', async (context) => {
    needRelease(context)
    const flags = '--tag latest --access public --provenance'
    const { exitCode, lines } = await publish(packages(), { ...TAG, NPM_TOKEN: 'npm_secret' }, ['npm'])
    expect([exitCode, lines]).toEqual([
      0,
      [
        'npm config set //packages.test/:_authToken npm_secret',
        `npm publish ./touchstone-k6-linux-x64-${version}.tgz ${flags}`,
        `npm publish ./touchstone-${version}.tgz ${flags}`,
      ],
    ])
  })

  test('a repeated job publishes only what is not published yet', async (context) => {
    needRelease(context)
    const env = { ...TAG, NPM_TOKEN: 'npm_secret', PUBLISHED: version }
    const { lines } = await publish(packages(), env, ['npm'])
    expect(lines.slice(1)).toEqual([
      `@touchstone/k6-linux-x64@${version} is published already.`,
      expect.stringContaining(`npm publish ./touchstone-${version}.tgz`),
    ])
  })

  test('no package is published if a file differs from its checksum', async (context) => {
    needRelease(context)
    const changed = join(directory, 'changed')
    await runProgramOrThrow(['cp', '-r', out, changed], { cwd: directory })
    await writeFile(join(changed, `touchstone-${version}.tgz`), 'something else')
    const { exitCode, stderr, lines } = await publish(['.github/publish-packages.sh', changed], {}, ['npm'])
    expect([exitCode, lines, stderr]).toEqual([1, [expect.stringContaining('FAILED')], expect.any(String)])
  })

  test('images are built without a tag, and pushed with provenance and a bill of materials for a tag', async () => {
    const [dry, tag] = [
      await publish(['.github/publish-images.sh'], {}, ['docker']),
      await publish(['.github/publish-images.sh'], { ...TAG, GITHUB_TOKEN: 'ghs_secret' }, ['docker']),
    ]
    expect(dry.lines.map((line) => line.split(' --label')[0])).toEqual([
      expect.stringContaining('Dry run'),
      expect.stringMatching(
        /^docker build --target emulator --tag ghcr\.io\/touchstone\/touchstone\/emulator:\d\S+-\w+$/,
      ),
      expect.stringMatching(/^docker build --target runner --tag ghcr\.io\/touchstone\/touchstone\/runner:\d\S+-\w+$/),
    ])
    const build = 'docker buildx build --push --provenance=mode=max --sbom=true'
    expect(tag.lines).toEqual([
      'docker login ghcr.io --username someone --password-stdin',
      'docker buildx create --use',
      expect.stringContaining(`${build} --target emulator --tag ghcr.io/someone/touchstone/emulator:`),
      expect.stringContaining(`${build} --target runner --tag ghcr.io/someone/touchstone/runner:`),
    ])
  })

  test('one image name covers both processors', async () => {
    const { lines } = await publish(['.github/publish-images.sh', 'manifest'], { ...TAG, GITHUB_TOKEN: 'x' }, [
      'docker',
    ])
    expect(lines.slice(1)).toEqual(
      ['emulator', 'runner'].map((target) =>
        expect.stringMatching(
          new RegExp(`^docker buildx imagetools create (?:--tag \\S+/${target}:\\S+ ){2}\\S+-x86_64 \\S+-aarch64$`),
        ),
      ),
    )
  })
})
