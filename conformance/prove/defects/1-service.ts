import type { Defect } from '../defect.ts'
import { alter, alterServed, header, refuse } from '../change/answers.ts'
import { all, asStream, not, to } from '../change/match.ts'
import { PLAIN_CHATS } from './groups.ts'

const MEDIA = ['images', 'transcriptions', 'speech'] as const

const notOffered: readonly Defect[] = [
  {
    id: '1/models-not-offered',
    breaks: 'the list of models is not there',
    kills: { '1/models-offered': /^answered 404$/ },
    wire: refuse(to('models'), 404),
  },
  {
    id: '1/chat-not-offered',
    breaks: 'no model answers a chat',
    kills: { '1/chat-offered': /^answered 404$/ },
    mayTouch: PLAIN_CHATS,
    wire: refuse(to('chat'), 404),
  },
  ...MEDIA.map((operation) => ({
    id: `1/${operation}-not-offered`,
    breaks: `no model serves ${operation}`,
    kills: { [`1/${operation}-offered`]: /^no model serves it: .*vendorc-4o answered 404$/ },
    wire: refuse(to(operation), 404),
  })),
]

const mediaTypes: readonly Defect[] = (['models', 'chat', 'images', 'transcriptions'] as const).map((operation) => ({
  id: `1/text-for-json-${operation}`,
  breaks: `the JSON answer of ${operation} is labelled text/plain`,
  kills: { [`1/json-media-type-${operation}`]: /^the media type is "text\/plain"$/ },
  wire: alterServed(all(to(operation), not(asStream)), header('content-type', 'text/plain; charset=utf-8')),
}))

export const serviceDefects: readonly Defect[] = [
  ...notOffered,
  ...mediaTypes,
  {
    id: '1/no-request-id',
    breaks: 'answers carry no x-request-id',
    kills: { '1/request-id': /^the header is missing$/ },
    wire: alter(() => true, header('x-request-id', undefined)),
  },
]
