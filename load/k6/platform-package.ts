import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { K6Lookup } from './k6-lookup.ts'

/**
 * Manifest of this package. In a released package (`dist/package.json`), the field `k6` maps each platform package to
 * the digest of its k6. The manifest of the repository lacks this field.
 */
const MANIFEST = fileURLToPath(new URL('../../package.json', import.meta.url))

/** SHA-256 digests of the k6 binaries, keyed by the name of their platform package. */
export type K6Digests = Readonly<Record<string, string>>

/** Returns the name of the package that contains k6 for a platform, such as `@touchstone/k6-linux-x64`. */
export function getPlatformPackageName(platform: string, arch: string): string {
  return `@touchstone/k6-${platform}-${arch}`
}

/** Returns the file name of k6 on a platform. */
export function getK6FileName(platform: string): string {
  return platform === 'win32' ? 'k6.exe' : 'k6'
}

/**
 * Finds k6 in the package for this platform. Returns undefined if the package is not installed, or if the manifest
 * lists no digest for it. npm installs it as an optional dependency of a released touchstone; this function downloads
 * nothing.
 *
 * Rejects a k6 whose SHA-256 digest differs from the digest in touchstone's manifest, because it is not the program
 * that was released.
 * @param manifest the `package.json` that lists the digests, and from whose directory the package is resolved
 */
export async function findPackagedK6(manifest = MANIFEST): Promise<K6Lookup | undefined> {
  const { name, digest } = await readReleasedPackage(manifest)
  const directory = resolvePackage(name, manifest)
  if (digest === undefined || directory === undefined) return undefined
  const path = join(directory, 'bin', getK6FileName(process.platform))
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
  if (typeof bytes === 'string') {
    return { finding: { code: 'k6-package-unreadable', params: { name, path, problem: bytes } } }
  }
  return createHash('sha256').update(bytes).digest('hex') === digest
    ? { path }
    : { finding: { code: 'k6-package-changed', params: { name, path } } }
}

/** Returns the name of the package for this platform, or null if touchstone was released without it. */
export async function findReleasedPackage(manifest = MANIFEST): Promise<string | null> {
  const { name, digest } = await readReleasedPackage(manifest)
  return digest === undefined ? null : name
}

async function readReleasedPackage(manifest: string): Promise<{ readonly name: string; readonly digest?: string }> {
  const name = getPlatformPackageName(process.platform, process.arch)
  // The cast is safe: packaging/release.ts writes the field, and the repository's own manifest has none.
  const { k6 = {} } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly k6?: K6Digests }
  return { name, ...(k6[name] === undefined ? {} : { digest: k6[name] }) }
}

function resolvePackage(name: string, from: string): string | undefined {
  try {
    return dirname(createRequire(from).resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
