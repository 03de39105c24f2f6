import { parseNewAccount, type NewAccount } from '../state/parse-new-account.ts'

/**
 * Parses the accounts that exist from the start: a list of strings or objects, or one string with accounts separated by
 * semicolons. An account is, for example, `key=sk-svc-mine,credits=5,requestsPerMinute=60,burst=5`.
 * @returns the accounts, or a sentence that describes the error without the key
 */
export function parseAccounts(value: unknown): readonly NewAccount[] | string {
  const items: unknown[] = typeof value === 'string' ? value.split(';') : Array.isArray(value) ? value : [value]
  const accounts: NewAccount[] = []
  for (const item of items) {
    const account = typeof item === 'string' ? parsePairs(item) : item
    const parsed = parseNewAccount(account)
    if (typeof parsed === 'string') {
      const isSentence = parsed.startsWith('Send')
      return isSentence
        ? 'An account has the form key=sk-svc-mine,credits=5 or {"key": "sk-svc-mine", "credits": "5"}.'
        : parsed
    }
    accounts.push(account as NewAccount) // The parser has checked every field.
  }
  return accounts
}

/** Account fields whose values are strings. All other fields belong to a rate limit. */
const TEXT_FIELDS: readonly string[] = ['key', 'credits', 'algorithm']

function parsePairs(text: string): unknown {
  const pairs = text.split(',').map((part) => {
    const [name = '', ...rest] = part.split('=')
    const value = rest.join('=').trim()
    return [name.trim(), TEXT_FIELDS.includes(name.trim()) || !/^\d+$/.test(value) ? value : Number(value)] as const
  })
  return text.includes('=') ? Object.fromEntries(pairs) : text
}
