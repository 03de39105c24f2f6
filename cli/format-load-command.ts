import { hideSecretMembers, hideUrlSecrets } from '../common/secrets/secret-values.ts'
import { createLoadMask, type GivenOptions, isSecretHeader, OPTION_TABLE } from '../load/run-load.ts'
import { formatCommand } from './format-command.ts'

type OptionName = keyof typeof OPTION_TABLE

type Text = string | number | boolean

/** Options that the command omits, because they describe the time of the run instead of its load. */
const OMITTED: ReadonlySet<string> = new Set<OptionName>(['startAtUnixMs'])

/** Matches a word without characters that a shell interprets. */
const PLAIN_WORD = /^[\w%+=:,./-]+$/

/**
 * Formats the command that repeats a load run, for a POSIX shell. The command contains the seed, and all options of the
 * load that differ from their default. It names the environment variables of keys, and masks keys in other values. It
 * shows `…` for secret headers and members of the body, URL credentials and the values of k6's `--env`.
 * @param module URL of a module of this program: a `.ts` file in a clone, a `.js` file in the installed package
 */
export function formatLoadCommand(given: GivenOptions, k6Options: readonly string[], module?: string): string {
  const texts = formatValues(given)
  const rows = listRows()
  const keys = rows.flatMap(({ name, variable }) => (variable === undefined ? [] : [texts[name]]))
  const mask = createLoadMask({
    keys: [...keys, given.upstreamKey].filter((key) => typeof key === 'string'),
    headers: given.headers,
    urls: [given.target, given.upstream],
  })
  const quote = (text: string): string => {
    const shown = mask.mask(hideUrlSecrets(text))
    return PLAIN_WORD.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`
  }
  const words = rows.flatMap(({ name, flag, variable, default: usual }) => {
    const value = texts[name] ?? (name === 'seed' ? usual : undefined)
    if (value === undefined || value === '' || (value === usual && name !== 'seed') || OMITTED.has(name)) return []
    if (variable !== undefined) return [flag, `"$${variable}"`]
    if (typeof value === 'boolean') return value === (usual ?? false) ? [] : [flag]
    return (typeof value === 'object' ? value : [value]).flatMap((one) => [flag, quote(String(one))])
  })
  const passed = k6Options.length === 0 ? [] : ['--', ...omitEnvironment(k6Options).map(quote)]
  return formatCommand('load', [...words, ...passed].join(' '), module)
}

interface CommandRow {
  readonly name: string
  readonly flag: string
  readonly default: Text | undefined
  /** Environment variable of an option that holds an API key. */
  readonly variable: string | undefined
}

function listRows(): CommandRow[] {
  return Object.entries(OPTION_TABLE).map(([name, row]) => ({
    name,
    flag: row.flag,
    default: 'default' in row ? row.default : undefined,
    variable: 'placeholder' in row && row.placeholder === 'key' ? row.env : undefined,
  }))
}

/** Converts objects and durations back to the format of the command line. */
function formatValues(given: GivenOptions): Readonly<Record<string, Text | readonly string[] | undefined>> {
  const {
    target,
    upstream,
    headers,
    limit,
    models,
    weights,
    segment,
    body,
    durationS,
    warmUpS,
    maxDurationS,
    ...others
  } = given
  return {
    ...others,
    // A load run ignores the query of a URL, and the query can contain a secret.
    target: target?.replace(/[?#].*/s, ''),
    upstream: upstream?.replace(/[?#].*/s, ''),
    headers: headers?.map((header) => `${header.name}: ${isSecretHeader(header) ? '…' : header.value}`),
    durationS: durationS === undefined ? undefined : `${durationS}s`,
    warmUpS: warmUpS === undefined ? undefined : `${warmUpS}s`,
    maxDurationS: maxDurationS === undefined ? undefined : `${maxDurationS}s`,
    models: models?.map(({ operation, model }) => (operation === null ? model : `${operation}=${model}`)),
    body: body && JSON.stringify(hideSecretMembers(body)),
    weights:
      weights &&
      Object.entries(weights)
        .map(([operation, share]) => `${operation}=${share}`)
        .join(','),
    segment: segment && `${segment.index + 1}/${segment.count}`,
    limit:
      limit &&
      `${limit.requests}/${limit.windowS}s${limit.burst === undefined ? '' : `,burst=${limit.burst}`}${limit.obey ? ',obey' : ''}`,
  }
}

/** Replaces the values of `--env NAME=value` and `-e NAME=value` with `…`, because they often are secrets. */
function omitEnvironment(k6Options: readonly string[]): string[] {
  return k6Options.map((option, index) => {
    const isValue = /^(?:--env|-[a-z]*e)$/i.test(k6Options[index - 1] ?? '')
    const [, name] = (isValue ? /^([^=]*=)/ : /^(--env=[^=]*=|-[a-z]*e=?[^=]+=)/i).exec(option) ?? []
    return name === undefined ? option : `${name}…`
  })
}
