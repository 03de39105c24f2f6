import { alterStatus, body, json, member } from '../change/answers.ts'
import type { WireAnswer } from '../wire.ts'
import type { Defect } from '../defect.ts'

interface OtherBody {
  readonly status: 400 | 401 | 402 | 404
  readonly name: string
  readonly breaks: string
  readonly said: RegExp
  change(answer: WireAnswer): WireAnswer
}

/** Error bodies that are common, and that client SDKs do not read. */
const OTHER_BODIES: readonly OtherBody[] = [
  {
    status: 400,
    name: 'flat',
    breaks: 'the body of a 400 has its message at the top',
    said: /^error is nothing$/,
    change: body('{"message":"temperature is too high"}'),
  },
  {
    status: 401,
    name: 'page',
    breaks: 'the body of a 401 is a web page',
    said: /^the media type is "text\/html"$/,
    change: body('<!doctype html><title>401</title>', 'text/html'),
  },
  {
    status: 402,
    name: 'sentence',
    breaks: 'the error in a 402 is a sentence, no object',
    said: /^error is "Insufficient credits"$/,
    change: body('{"error":"Insufficient credits"}'),
  },
  {
    status: 404,
    name: 'no-code',
    breaks: 'the error in a 404 has no code',
    said: /^error\.code is missing$/,
    change: member('code', () => undefined),
  },
  {
    status: 404,
    name: 'no-type',
    breaks: 'the error in a 404 has no type',
    said: /^error\.type is nothing$/,
    change: member('type', () => undefined),
  },
]

export const errorBodyDefects: readonly Defect[] = [
  ...OTHER_BODIES.map(({ status, name, breaks, said, change }) => ({
    id: `7/error-body-${status}-${name}`,
    breaks,
    kills: { [`7/error-body-${status}`]: said },
    wire: alterStatus(status, change),
  })),
  {
    id: '7/error-body-429-detail',
    breaks: 'the body of a 429 has a detail, and no error',
    kills: { '7/error-body-429': /^error is nothing$/ },
    wire: alterStatus(429, body(json({ detail: 'slow down' }).body)),
  },
  {
    id: '7/other-code',
    breaks: 'nothing: the code strings of errors are not shown',
    kills: { '7/error-shape': /; code "unknown_model"$/ },
    wire: alterStatus(
      404,
      member('code', () => 'unknown_model'),
    ),
  },
]
