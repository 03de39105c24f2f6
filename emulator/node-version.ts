/** Oldest supported version of Node.js, as `engines` in package.json states it. */
export const MIN_NODE_VERSION = '22.22'

/**
 * Checks the version of Node.js, because npm installs the package also with an older one.
 * @throws Error if the version is too old
 */
export function requireNodeVersion(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor = 0, minMinor = 0] = MIN_NODE_VERSION.split('.').map(Number)
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  throw new Error(
    `touchstone needs Node.js ${MIN_NODE_VERSION} or later, and this is ${version}. In your project, npm install --save-dev node@24 adds a newer one for npm scripts and npx.`,
  )
}
