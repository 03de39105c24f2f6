import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GO_BUILD_FLAGS, getK6FileName, getPlatformPackageName } from '../load/run-load.ts'
import { createK6Sbom, type LinkedModule } from './k6-sbom.ts'

const EXTENSION = fileURLToPath(new URL('../scenarios/extension', import.meta.url))

/** An operating system and a processor architecture, as Node.js and as Go name them. */
export interface Platform {
  readonly os: NodeJS.Platform
  readonly cpu: NodeJS.Architecture
  readonly goOs: string
  readonly goArch: string
}

/** Platforms for which a release contains k6, keyed by their name in the package name. */
export const PLATFORMS: Readonly<Record<string, Platform>> = {
  'linux-x64': { os: 'linux', cpu: 'x64', goOs: 'linux', goArch: 'amd64' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', goOs: 'linux', goArch: 'arm64' },
  'darwin-x64': { os: 'darwin', cpu: 'x64', goOs: 'darwin', goArch: 'amd64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64', goOs: 'darwin', goArch: 'arm64' },
  'win32-x64': { os: 'win32', cpu: 'x64', goOs: 'windows', goArch: 'amd64' },
}

/** Licence of each linked module that has no licence file, keyed by module path. */
const STATED_LICENCES: Readonly<Record<string, string>> = {
  'buf.build/gen/go/prometheus/prometheus/protocolbuffers/go':
    'Copyright The Prometheus Authors. Generated from https://github.com/prometheus/prometheus/tree/main/prompb, which is\nunder the Apache License, Version 2.0: https://www.apache.org/licenses/LICENSE-2.0',
}

export const SBOM_FILE = 'sbom.cdx.json'

export interface K6PackageOptions {
  readonly folder: string
  readonly version: string
  /** Git repository of the release, which npm compares with the provenance. */
  readonly repository?: object | undefined
  /** Path of a k6 that was already built for the platform. If undefined, Go builds it. */
  readonly k6: string | undefined
}

/**
 * Writes the directory of a k6 package for a platform: the binary, its source, its bill of materials, and the licences
 * of everything that is linked into it.
 * @returns the SHA-256 digest of the binary
 */
export function writeK6Package(platform: Platform, { folder, version, repository, k6 }: K6PackageOptions): string {
  const name = getPlatformPackageName(platform.os, platform.cpu)
  const go = createGo(platform)
  const binary = join(folder, 'bin', getK6FileName(platform.os))
  mkdirSync(join(folder, 'bin'), { recursive: true })
  if (k6 === undefined) go('build', ...GO_BUILD_FLAGS, '-o', binary, '.')
  else copyFileSync(k6, binary)
  const bytes = readFileSync(binary)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const modules = listModules(go)
  cpSync(EXTENSION, join(folder, 'source'), { recursive: true, filter: isSource })
  copyFileSync(join(EXTENSION, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), collectLicences(modules, go('env', 'GOROOT')))
  writeJson(join(folder, SBOM_FILE), createK6Sbom(name, { version, sha256, modules }))
  writeJson(join(folder, 'package.json'), createManifest(platform, { version, repository }))
  writeFileSync(
    join(folder, 'README.md'),
    renderReadme(platform, {
      version,
      sha256,
      k6Version: modules.find(({ path }) => path === 'go.k6.io/k6/v2')?.version ?? '',
      mebibytes: (bytes.byteLength / 1024 / 1024).toFixed(1),
    }),
  )
  return sha256
}

/** Creates a function that runs Go for a platform in the extension's directory and returns the trimmed output. */
function createGo({ goOs, goArch }: Platform): (...args: readonly string[]) => string {
  const env = { ...process.env, CGO_ENABLED: '0', GOOS: goOs, GOARCH: goArch }
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  return (...args) =>
    execFileSync('go', args, { cwd: EXTENSION, env, stdio, encoding: 'utf8', maxBuffer: 2 ** 26 }).trim()
}

function listModules(go: (...args: readonly string[]) => string): LinkedModule[] {
  const format = '{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}'
  const lines = new Set(go('list', '-deps', '-f', format, '.').split('\n'))
  const modules = [...lines].map((line) => {
    const [path = '', version = '', folder = ''] = line.split('\t')
    return { path, version, folder }
  })
  // Omits the extension itself, the only module without a version.
  return modules.filter(({ version }) => version !== '').toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Returns whether the package contains a file of the extension as source. Excludes tests, type declarations and
 * documentation.
 */
function isSource(path: string): boolean {
  return !/(?:_test\.go|\.ts|\.md)$/.test(path) && basename(path) !== 'testdata'
}

/**
 * Collects the licence texts of all modules, and of Go itself, whose standard library is linked too.
 * @throws Error for a module without a licence file
 */
function collectLicences(modules: readonly LinkedModule[], goRoot: string): string {
  const all = [{ path: 'Go and its standard library', version: '', folder: goRoot }, ...modules]
  return all
    .map(({ path, version, folder }) => {
      const files = readdirSync(folder).filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(name))
      const stated = STATED_LICENCES[path]
      if (files.length === 0 && stated === undefined) throw new Error(`${path} has no licence file in ${folder}.`)
      const texts = files.map((name) => readFileSync(join(folder, name), 'utf8').trim())
      if (stated !== undefined) texts.push(stated)
      return [`${'='.repeat(80)}\n${path} ${version}`.trimEnd(), ...texts].join('\n\n')
    })
    .join('\n\n')
    .concat('\n')
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

function createManifest(
  { os, cpu }: Platform,
  { version, repository }: Pick<K6PackageOptions, 'version' | 'repository'>,
): object {
  return {
    name: getPlatformPackageName(os, cpu),
    version,
    description: `k6 with the extension of touchstone, for ${os}-${cpu}`,
    license: 'AGPL-3.0-only',
    ...(repository === undefined ? {} : { repository }),
    os: [os],
    cpu: [cpu],
    // Tells Yarn to unpack the package. By default, Yarn keeps packages in archives, from which programs cannot be
    // executed.
    preferUnplugged: true,
  }
}

function renderReadme(
  { os, cpu, goOs, goArch }: Platform,
  {
    version,
    sha256,
    k6Version,
    mebibytes,
  }: { readonly version: string; readonly sha256: string; readonly k6Version: string; readonly mebibytes: string },
): string {
  const file = getK6FileName(os)
  return `# ${getPlatformPackageName(os, cpu)}

k6 ${k6Version} with the extension \`k6/x/touchstone\`, built for ${os}-${cpu}. npm installs it with touchstone ${version}, whose command
\`touchstone load\` runs it. It has no install script.

\`bin/${file}\`: ${mebibytes} MiB, SHA-256 \`${sha256}\`. touchstone has the same checksum, and does
not run the file if it differs.

## Licence

k6 and the extension are under AGPL-3.0-only ([LICENSE](LICENSE)). The modules that are linked with them have their licences in
[THIRD-PARTY-LICENSES](THIRD-PARTY-LICENSES). touchstone itself starts this program, and is under Apache-2.0.

## Source

\`source/\` is the complete source of the extension. Its \`go.mod\` and \`go.sum\` name every module with version and hash; k6 itself is
<https://github.com/grafana/k6/tree/${k6Version}>. The same version of Go (\`go version -m bin/${file}\` shows it) builds the same bytes:

\`\`\`sh
cd source
CGO_ENABLED=0 GOOS=${goOs} GOARCH=${goArch} go build ${GO_BUILD_FLAGS.map((flag) => (flag.includes(' ') ? `'${flag}'` : flag)).join(' ')} -o ${file} .
\`\`\`
`
}
