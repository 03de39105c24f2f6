import { hash } from 'node:crypto'
import * as expect from '../../findings/expect.ts'
import { getMember } from '../shared/response-access.ts'
import type { CheckContext } from '../../engine/check.ts'
import type { BothEnds, Trial } from '../../upstream/both-ends.ts'
import { compareText } from './compare-text.ts'
import {
  createChange,
  defineForwardingCheck,
  defineGatewayCheck,
  judge,
  markUnserved,
  observePolicy,
} from './define-check.ts'

const TRANSCRIPT = ' “Grüße” – 東京 हिन्दी 👍🏽\n'

/** Uploads an audio file once in a run. */
function sendUpload(ends: BothEnds, audio: CheckContext['audio']) {
  if (typeof audio === 'string') throw new Error('The audio file is not a file.')
  const file = { ...audio, filename: 'Aufnahme 1.wav' }
  return ends.share('upload', async () => {
    const trial: Trial = { operation: 'transcriptions', respond: { text: TRANSCRIPT }, form: { file } }
    return { file, seen: await ends.send(trial) }
  })
}

function extensionOf(filename: string): string {
  return /\.[^.]*$/.exec(filename)?.[0].toLowerCase() ?? ''
}

export const mediaChecks = [
  defineForwardingCheck({
    id: 'gateway/speech-bytes',
    requirement: 'gateway/media',
    title: 'forwards generated speech byte for byte',
    operation: 'speech',
    trials: [{ operation: 'speech', respond: { generated: true } }],
    find({ client, upstream }) {
      const sha256 = upstream.at(-1)?.bodySha256
      if (sha256 === undefined || hash('sha256', client.body) === sha256) return undefined
      const arrived = { bytes: client.body.byteLength }
      return { code: 'gateway-changed', params: { part: 'speech', sent: { sha256 }, arrived } }
    },
  }),
  defineForwardingCheck({
    id: 'gateway/transcription-text',
    requirement: 'gateway/media',
    title: 'forwards the text of transcriptions',
    operation: 'transcriptions',
    alone: true,
    trials: [{ operation: 'transcriptions', respond: { text: TRANSCRIPT } }],
    find({ client }) {
      const arrived = getMember(client.json, 'text')
      const difference = typeof arrived === 'string' ? compareText(TRANSCRIPT, arrived) : { sent: TRANSCRIPT }
      return difference && { code: 'gateway-changed', params: { part: 'transcription', ...difference } }
    },
  }),
  defineGatewayCheck({
    id: 'gateway/upload',
    requirement: 'gateway/upload',
    title: 'forwards an uploaded file byte for byte, with its media type and the extension of its name',
    operation: 'transcriptions',
    requests: 1,
    alone: true,
    async run(ends, { audio }) {
      const { file, seen } = await sendUpload(ends, audio)
      return judge(ends, [seen], { rule: 'as-client-sent' }, ({ upstream }) => {
        const upload = upstream.at(-1)?.upload
        const bytes = file.bytes.byteLength
        const sha256 = hash('sha256', file.bytes)
        if (upload === undefined) return createChange('file', { bytes }, undefined)
        if (upload.sha256 !== sha256) {
          const arrived = { bytes: upload.bytes, sha256: upload.sha256.slice(0, 16) }
          return createChange('file', { bytes, sha256: sha256.slice(0, 16) }, arrived)
        }
        if (extensionOf(upload.filename) !== extensionOf(file.filename)) {
          return createChange('file-name', file.filename, upload.filename)
        }
        const isSameType = upload.mediaType.split('/')[0] === file.mediaType.split('/')[0]
        return isSameType ? undefined : createChange('file-type', file.mediaType, upload.mediaType)
      })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/file-name',
    requirement: 'gateway/file-name',
    title: 'the name of an uploaded file',
    operation: 'transcriptions',
    requests: 1,
    alone: true,
    async run(ends, { audio }) {
      const { file, seen } = await sendUpload(ends, audio)
      const upload = seen.upstream.at(-1)?.upload
      if (upload === undefined) return markUnserved(seen)
      return observePolicy({ name: upload.filename === file.filename ? 'forwarded' : 'replaced' })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/image-url',
    requirement: 'gateway/image-url',
    title: 'the URL of generated images',
    operation: 'images',
    requests: 2,
    async run(ends, { baseUrl, send }) {
      const seen = await ends.send({ operation: 'images', respond: { generated: true } })
      const url = getMember(seen.client.json, 'data', 0, 'url')
      if (typeof url !== 'string') {
        return expect.isServed(seen.client) ? observePolicy({ url: 'none' }) : markUnserved(seen)
      }
      const place = url.startsWith(ends.run.control.url)
        ? 'upstream'
        : url.startsWith(baseUrl)
          ? 'gateway'
          : 'other host'
      if (place !== 'gateway') return observePolicy({ url: place })
      const { status } = await send({ method: 'GET', path: url.slice(baseUrl.length), key: 'funded' })
      return observePolicy({ url: place, status })
    },
  }),
]
