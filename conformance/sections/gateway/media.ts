import { hash } from 'node:crypto'
import { createExcerpt } from '../../findings/json-excerpt.ts'
import type { Deviation } from '../../findings/families.ts'
import * as expect from '../../findings/expect.ts'
import { getMember } from '../shared/response-access.ts'
import type { CheckContext } from '../../engine/check.ts'
import type { BothEnds, Trial } from '../../upstream/both-ends.ts'
import { compareText } from './compare-text.ts'
import { defineGatewayCheck, judge, markUnserved, observePolicy } from './define-check.ts'

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
  defineGatewayCheck({
    id: 'gateway/speech-bytes',
    requirement: 'gateway/media',
    title: 'forwards generated speech byte for byte',
    operation: 'speech',
    requests: 1,
    async run(ends) {
      const seen = await ends.send({ operation: 'speech', respond: { generated: true } })
      return judge(ends, [seen], { rule: 'as-upstream-sent' }, ({ client, upstream }) => {
        const sent = upstream.at(-1)
        if (sent?.bodySha256 === undefined || hash('sha256', client.body) === sent.bodySha256) return undefined
        const arrived = { bytes: client.body.byteLength }
        return { code: 'gateway-changed', params: { part: 'speech', sent: { sha256: sent.bodySha256 }, arrived } }
      })
    },
  }),
  defineGatewayCheck({
    id: 'gateway/transcription-text',
    requirement: 'gateway/media',
    title: 'forwards the text of transcriptions',
    operation: 'transcriptions',
    requests: 1,
    alone: true,
    async run(ends) {
      const seen = await ends.send({ operation: 'transcriptions', respond: { text: TRANSCRIPT } })
      return judge(ends, [seen], { rule: 'as-upstream-sent' }, ({ client }) => {
        const arrived = getMember(client.json, 'text')
        const difference = typeof arrived === 'string' ? compareText(TRANSCRIPT, arrived) : { sent: TRANSCRIPT }
        return difference && { code: 'gateway-changed', params: { part: 'transcription', ...difference } }
      })
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
      return judge(ends, [seen], { rule: 'as-client-sent' }, ({ upstream }): Deviation | undefined => {
        const upload = upstream.at(-1)?.upload
        const sent = { bytes: file.bytes.byteLength, sha256: hash('sha256', file.bytes) }
        if (upload === undefined)
          return { code: 'gateway-changed', params: { part: 'file', sent: { bytes: sent.bytes } } }
        if (upload.sha256 !== sent.sha256) {
          const arrived = { bytes: upload.bytes, sha256: upload.sha256.slice(0, 16) }
          const excerpt = { bytes: sent.bytes, sha256: sent.sha256.slice(0, 16) }
          return { code: 'gateway-changed', params: { part: 'file', sent: excerpt, arrived } }
        }
        if (extensionOf(upload.filename) !== extensionOf(file.filename)) {
          const params = { part: 'file-name', sent: file.filename, arrived: createExcerpt(upload.filename) } as const
          return { code: 'gateway-changed', params }
        }
        if (upload.mediaType.split('/')[0] === file.mediaType.split('/')[0]) return undefined
        const params = { part: 'file-type', sent: file.mediaType, arrived: createExcerpt(upload.mediaType) } as const
        return { code: 'gateway-changed', params }
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
