// Texts for values of the control API.

const INTEGER = new Intl.NumberFormat('en')
const ONE_DIGIT = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export function formatInteger(number) {
  return INTEGER.format(number)
}

/** Formats milliseconds with one digit, so that the numbers of a column are aligned. Null is an empty text. */
export function formatMs(ms) {
  return ms === null || ms === undefined ? '' : ONE_DIGIT.format(ms)
}

/**
 * Formats credits with four digits.
 * @param {string} credits decimal string of the control API
 * @returns {[significant: string, zeros: string]} the zeros fill up the digits
 */
export function formatCredits(credits) {
  const [whole = '', fraction = ''] = credits.split('.')
  const shown = INTEGER.format(BigInt(whole))
  const zeros = '0'.repeat(4 - fraction.length)
  return fraction === '' ? [shown, `.${zeros}`] : [`${shown}.${fraction}`, zeros]
}

export function formatBytes(bytes) {
  if (bytes < 10_000) return `${INTEGER.format(bytes)} bytes`
  return bytes < 10_000_000 ? `${INTEGER.format(Math.round(bytes / 1000))} KB` : `${ONE_DIGIT.format(bytes / 1e6)} MB`
}

/** Formats a count with a noun, which gets a plural s. */
export function formatCount(count, noun) {
  return `${INTEGER.format(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Names the client of a log entry or an audit finding. */
export function nameClient(account, keyFingerprint) {
  if (account !== null) return account
  return keyFingerprint === null ? 'no key' : `unknown key ${keyFingerprint}`
}

export function formatValue(value) {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Formats an object as `name=value, name=value`. */
export function formatPairs(object) {
  return Object.entries(object)
    .map(([name, value]) => (value === true ? name : `${name}=${formatValue(value)}`))
    .join(', ')
}
