import { findExcess, type ForecastSummary, type ResolvedLoad, summarizeForecast } from '../load/run-load.ts'

/** The forecast as data. */
export function forecastOf(resolved: ResolvedLoad): object {
  return summarizeForecast(resolved)
}

/** The same for people. */
export function describeForecast(resolved: ResolvedLoad): string {
  const { scenario, profile, arrivals, requests, requestsByOperation, credits, exactness, note, budgets, ...tokens } =
    summarizeForecast(resolved)
  const byOperation = Object.entries(requestsByOperation).map(([operation, count]) => `${operation} ${count}`)
  const many =
    requests === null
      ? 'as many requests as are answered'
      : `${requests} ${requests === 1 ? 'request' : 'requests'} (${byOperation.join(', ')})`
  const excess = findExcess(resolved)
  return [
    `${scenario} (${profile}, ${arrivals}) would send ${many}${requests === null ? '' : `: ${describeTokens(tokens)}`}`,
    credits === null
      ? `Credits: no upper bound. ${note ?? ''}`.trimEnd()
      : [`Credits: at most ${credits}`, note, exactness].filter((part) => part !== null).join('. '),
    ...budgets.map(({ budget, needed, expected }) => {
      const few = expected !== null && expected < needed ? `, and only ${expected} are to be expected` : ''
      return `Budget ${budget}: needs ${needed} ${needed === 1 ? 'sample' : 'samples'}${few}`
    }),
    ...(excess === undefined ? [] : [`${excess} The run would ask first, or be refused.`]),
    'Nothing was sent.',
    '',
  ].join('\n')
}

function describeTokens({ prompts, chatTokens }: Pick<ForecastSummary, 'prompts' | 'chatTokens'>): string {
  const { prompt, completion } = chatTokens
  return prompts === 'counted'
    ? `${prompt} prompt tokens, as they were counted, and at most ${completion} completion tokens of chat`
    : `at most ${prompt} prompt tokens and ${completion} completion tokens of chat`
}
