import { findExcess, type ResolvedLoad, summarizeForecast } from '../scenarios/runner/run-load.ts'

/** The forecast as data. */
export function forecastOf(resolved: ResolvedLoad): object {
  return summarizeForecast(resolved)
}

/** The same for people. */
export function describeForecast(resolved: ResolvedLoad): string {
  const { scenario, profile, arrivals, requests, requestsByOperation, chatTokens, credits, note, budgets } =
    summarizeForecast(resolved)
  const byOperation = Object.entries(requestsByOperation).map(([operation, count]) => `${operation} ${count}`)
  const many =
    requests === null ? 'as many requests as are answered' : `${requests} requests (${byOperation.join(', ')})`
  const excess = findExcess(resolved)
  const tokens = `at most ${chatTokens.prompt} prompt tokens and ${chatTokens.completion} completion tokens of chat`
  return [
    `${scenario} (${profile}, ${arrivals}) would send ${many}${requests === null ? '' : `: ${tokens}`}`,
    credits === null
      ? `Credits: no upper bound. ${note ?? ''}`.trimEnd()
      : `Credits: at most ${credits}${note === null ? '' : `. ${note}`}`,
    ...budgets.map(({ budget, needed, expected }) => {
      const few = expected !== null && expected < needed ? `, and only ${expected} are to be expected` : ''
      return `Budget ${budget}: needs ${needed} ${needed === 1 ? 'sample' : 'samples'}${few}`
    }),
    ...(excess === undefined ? [] : [`${excess} The run would ask first, or be refused.`]),
    'Nothing was sent.',
    '',
  ].join('\n')
}
