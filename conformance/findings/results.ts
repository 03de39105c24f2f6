import { defineFinding } from './define.ts'
import { describeFact, type ObservedFact } from './facts.ts'

/** Findings of checks that passed, or that observed unspecified behaviour. */
export const RESULTS = {
  /** The target met the expectation. `seen` is a fact that the report shows. */
  'as-expected': defineFinding<{ readonly seen?: ObservedFact }>({
    sentence: ({ seen }) => (seen === undefined ? 'as expected' : describeFact(seen)),
  }),
  'bound-not-reached': defineFinding<{ readonly actual: number }>({
    sentence: ({ actual }) => `${actual} tokens: below max_tokens`,
  }),
  'difference-not-shown': defineFinding<{ readonly declared: string }>({
    sentence: ({ declared }) => `meets the specification, but the target file declares: ${declared}`,
    title: ({ declared }, { responses }) =>
      `${responses} meet the specification, but the target file declares: ${declared}`,
    groupBy: ({ declared }) => [declared],
  }),
  /** A response that shows unspecified behaviour. `tried` describes the request. It fails if the owner declares another. */
  'observed-response': defineFinding<{ readonly tried?: string; readonly seen: ObservedFact }>({
    harm: 'status',
    sentence: ({ tried, seen }) => (tried === undefined ? describeFact(seen) : `${tried}: ${describeFact(seen)}`),
    title: ({ tried, seen }, { status }) =>
      `${tried === undefined ? '' : `${tried}: `}${describeFact(seen)}, but the target file declares: ${status}. Update the declaration if this is intended`,
    groupBy: ({ tried, seen }) => [tried, seen],
  }),
} as const
