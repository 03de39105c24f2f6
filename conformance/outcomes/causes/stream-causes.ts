import type { Deviation, Outcome, StreamProblem } from '../outcome.ts'
import { createPossibleCause, type PossibleCause } from './finding.ts'

const STREAM_FAMILY = createPossibleCause('stream', 'Streams do not have the form that client SDKs expect')

/** Creates the cause of a stream that client SDKs cannot read. */
export function createStreamCause(problem: StreamProblem): PossibleCause {
  return { ...createPossibleCause(`stream ${problem}`, STREAM_TITLES[problem]), families: [STREAM_FAMILY] }
}

/** Creates the cause of a finding that the target truncates some of its streams. Returns undefined for other findings. */
export function createTruncationCause(finding: Deviation | Outcome): PossibleCause | undefined {
  switch (finding.code) {
    case 'streams-timed-out':
      return createPossibleCause(
        'streams timed out',
        `Streams are cut after ${(finding.params.afterMs / 1000).toFixed(0)} s`,
      )
    case 'streams-without-end':
      return createPossibleCause(
        'streams cut',
        'Some streams stop before their end, without an error that clients can see',
      )
    default:
      return undefined
  }
}

const END_PROBLEMS: ReadonlySet<StreamProblem> = new Set(['no-finish-reason', 'no-done', 'no-blank-line'])

/** Returns whether a finding concerns the end of a stream, which a truncated stream lacks. */
export function isAboutStreamEnd({ code, params }: Outcome): boolean {
  return code === 'stream-cut' || (code === 'stream-malformed' && END_PROBLEMS.has(params.problem))
}

const STREAM_TITLES: Readonly<Record<StreamProblem, string>> = {
  'no-events': 'Streams have no events',
  'no-chunks': 'Streams have no event besides [DONE]',
  'no-choices': 'Streams have no event with choices',
  'not-json': 'Stream events are not JSON',
  'several-ids': 'Chunks of one stream have different ids',
  'wrong-role': 'Streams begin with a role other than `assistant`',
  'no-role': 'Streams do not send the role in the first delta',
  'content-not-text': 'The content of chunks is not a string',
  'no-spaces': 'The text of streams has no spaces: a gateway may trim the text of each chunk',
  'no-content': 'Stream chunks have no content',
  'no-finish-reason': 'Streams end without a finish_reason',
  'early-finish-reason': 'Chunks before the last one have a finish_reason',
  'repeated-finish-reason': 'Streams send the finish_reason twice',
  'error-member': 'Stream chunks have a field `error`',
  'empty-choices': 'Streams have events without choices',
  'no-done': 'Streams end without [DONE]',
  'event-after-done': 'Streams continue after [DONE]',
  'no-blank-line': 'Streams end without a blank line',
}
