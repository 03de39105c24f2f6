import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type K6Digests, getPlatformPackageName } from '../load/run-load.ts'
import { type Platform, PLATFORMS, SBOM_FILE, writeK6Package } from './k6-package.ts'

// Packs a release: `node packaging/release.ts --out DIRECTORY [--platform linux-x64]… [--k6 PATH] [--tarball FILE]`.
//
// Writes the tarball of touchstone, a tarball of k6 for each platform, a bill of materials (CycloneDX) for each
// tarball, SHA256SUMS, and NOTES.md from CHANGELOG.md. Without `--platform`, it builds k6 for all platforms. `--k6` is
// a k6 that was already built for the single platform. `--tarball` is the output of `npm pack`.

const ROOT = fileURLToPath(new URL('..', import.meta.url))

interface Manifest {
  readonly version: string
  readonly [field: string]: unknown
}

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    platform: { type: 'string', multiple: true },
    k6: { type: 'string' },
    tarball: { type: 'string' },
  },
})
const { k6, platform: names = Object.keys(PLATFORMS) } = values
if (values.out === undefined) throw new Error('--out is missing: name the directory for the tarballs.')
const out = resolve(values.out)
if (k6 !== undefined && names.length !== 1) throw new Error('--k6 contains one platform: give one --platform.')
mkdirSync(out, { recursive: true })
const stage = mkdtempSync(join(tmpdir(), 'touchstone-release-'))
try {
  const manifest = readManifest(join(ROOT, 'package.json'))
  const digests = names.map((name) => packK6(name, findPlatform(name), manifest.version))
  writeFileSync(join(out, 'NOTES.md'), readNotes(manifest.version))
  writeFileSync(join(out, 'touchstone.cdx.json'), createSbom())
  packTouchstone(resolve(values.tarball ?? pack(ROOT, stage)), Object.fromEntries(digests))
  writeChecksums(out)
} finally {
  rmSync(stage, { recursive: true, force: true })
}

function findPlatform(name: string): Platform {
  const platform = PLATFORMS[name]
  if (platform === undefined)
    throw new Error(`Unknown platform ${name}. Use one of ${Object.keys(PLATFORMS).join(', ')}.`)
  return platform
}

/**
 * Packs k6 for a platform. Builds it unless `--k6` is given.
 * @returns the name of the package, and the SHA-256 digest of the binary
 */
function packK6(name: string, platform: Platform, version: string): [name: string, sha256: string] {
  process.stderr.write(`k6 for ${name}\n`)
  const folder = join(stage, name)
  const sha256 = writeK6Package(platform, { folder, version, k6, repository: findRepository() })
  pack(folder, out)
  copyFileSync(join(folder, SBOM_FILE), join(out, `k6-${name}.cdx.json`))
  return [getPlatformPackageName(platform.os, platform.cpu), sha256]
}

/**
 * Packs touchstone with the k6 packages as optional dependencies. The manifest in the repository does not list them,
 * because `npm ci` would look for packages that are not published yet.
 */
function packTouchstone(tarball: string, k6Digests: K6Digests): void {
  execFileSync('tar', ['-xzf', tarball, '-C', stage])
  const folder = join(stage, 'package')
  // The repository's manifest is private, and only a release may be published.
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _development,
    ...manifest
  } = readManifest(join(folder, 'package.json'))
  const optionalDependencies = Object.fromEntries(Object.keys(k6Digests).map((name) => [name, manifest.version]))
  const repository = findRepository()
  const fields = repository === undefined ? {} : { repository }
  writeJson(join(folder, 'package.json'), { ...manifest, ...fields, optionalDependencies })
  // load/k6/platform-package.ts reads the digests from this file.
  const inner = join(folder, 'dist', 'package.json')
  writeJson(inner, { ...readManifest(inner), k6: k6Digests })
  pack(folder, out)
}

/**
 * Returns the repository for which GitHub runs this script, or undefined outside GitHub. npm publishes a package with
 * provenance only if its manifest names the repository that built it.
 */
function findRepository(): object | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env
  return server === undefined || name === undefined ? undefined : { type: 'git', url: `git+${server}/${name}.git` }
}

/**
 * Returns the section of CHANGELOG.md about a version.
 * @throws Error if the version has no section
 */
function readNotes(version: string): string {
  const sections = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const section = sections.find((text) => text.startsWith(`${version}\n`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}: write it before the release.`)
  return `${section.slice(version.length).trim()}\n`
}

function createSbom(): string {
  const flags = ['--omit', 'dev', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  return execFileSync('npm', ['sbom', ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })
}

/** Packs a directory, and returns the path of the tarball. */
function pack(folder: string, destination: string): string {
  const printed = execFileSync('npm', ['pack', folder, '--silent', '--pack-destination', destination], {
    cwd: stage,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  return join(destination, printed.trim().split('\n').at(-1) ?? '')
}

function writeChecksums(directory: string): void {
  const lines = readdirSync(directory)
    .filter((name) => /\.(?:tgz|cdx\.json)$/.test(name))
    .toSorted()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(directory, name)))
          .digest('hex')}  ${name}\n`,
    )
  writeFileSync(join(directory, 'SHA256SUMS'), lines.join(''))
}

function readManifest(path: string): Manifest {
  // The cast is safe: npm rejects a package.json without a version, and the build writes the version into
  // dist/package.json.
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}
