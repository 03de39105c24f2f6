import type { Defect } from '../defect.ts'
import { alterServed, body, member, refuse } from '../change/answers.ts'
import { all, to, withFields } from '../change/match.ts'

const LIST_FIELDS = ['2.1/id', '2.1/object', '2.1/created', '2.1/owned-by', '2.1/all-listed']

/** Changes a member of each model in the list. */
function inModels(name: string, change: (value: unknown) => unknown): Defect['wire'] {
  return alterServed(to('models'), member(name, change))
}

const fields: readonly Defect[] = [
  {
    id: '2.1/model-without-id',
    breaks: 'the list has a ninth model that is named otherwise than by id',
    kills: { '2.1/id': /^data\[8\]\.id is nothing, not a string$/ },
    wire: inModels('data', (models) => [
      ...(Array.isArray(models) ? models : []),
      { name: 'another', object: 'model', created: 1_735_689_600, owned_by: 'another' },
    ]),
  },
  {
    id: '2.1/engine-for-model',
    breaks: 'models call themselves engines',
    kills: { '2.1/object': /^data\[0\]\.object is "engine"$/ },
    wire: inModels('object', (value) => (value === 'model' ? 'engine' : value)),
  },
  {
    id: '2.1/created-in-ms',
    breaks: 'the created time of models is in milliseconds',
    kills: { '2.1/created': /^data\[0\]\.created is 1735689600000: milliseconds, not seconds$/ },
    wire: inModels('created', (value) => Number(value) * 1000),
  },
  {
    id: '2.1/created-as-date',
    breaks: 'the created time of models is a date in text',
    kills: { '2.1/created': /^data\[0\]\.created is "2025-01-01T00:00:00Z", not an integer$/ },
    wire: inModels('created', () => '2025-01-01T00:00:00Z'),
  },
  {
    id: '2.1/no-owner',
    breaks: 'models have null for their owner',
    kills: { '2.1/owned-by': /^data\[0\]\.owned_by is null, not a string$/ },
    wire: inModels('owned_by', () => null),
  },
]

const lists: readonly Defect[] = [
  {
    id: '2.1/model-left-out',
    breaks: 'one of the eight models is not in the list',
    kills: { '2.1/all-listed': /^not listed: vendora-reasoner$/ },
    wire: inModels('data', (models) =>
      Array.isArray(models) ? models.filter(({ id }) => id !== 'vendora-reasoner') : models,
    ),
  },
  {
    id: '2.1/listed-and-not-served',
    breaks: 'one of the eight models is listed and answers no chat',
    kills: {
      '2.1/all-answer-chat': /^vendorb-haiku-3\.5: answered 404$/,
      '2.1/all-stream-chat': /^vendorb-haiku-3\.5: answered 404$/,
    },
    wire: refuse(
      all(
        to('chat'),
        withFields(({ model }) => model === 'vendorb-haiku-3.5'),
      ),
      404,
    ),
  },
  {
    id: '2.1/cheapest-draws-nothing',
    breaks: 'nothing: a target may choose which models serve images',
    kills: { '2.1/capabilities': /^vendora-v4-flash for images: answered 404; vendorc-4o for images: answered 200/ },
    wire: refuse(
      all(
        to('images'),
        withFields(({ model }) => model === 'vendora-v4-flash'),
      ),
      404,
    ),
  },
  {
    id: '4.1/other-object',
    breaks: 'the list calls itself models',
    kills: { '4.1/list-shape': /^object is "models"$/ },
    wire: inModels('object', (value) => (value === 'list' ? 'models' : value)),
  },
  {
    id: '4.1/data-by-id',
    breaks: 'data is an object with the models by id, not an array',
    kills: { '4.1/list-shape': /^data is \{"vendora-v4-flash":.*, not an array$/ },
    mayTouch: LIST_FIELDS,
    wire: inModels('data', (models) =>
      Object.fromEntries(Array.isArray(models) ? models.map((model) => [model.id, model]) : []),
    ),
  },
  {
    id: '4.1/ids-alone',
    breaks: 'data contains the ids alone, not objects',
    kills: { '4.1/list-shape': /^data contains "vendora-v4-flash", not an object$/ },
    mayTouch: LIST_FIELDS,
    wire: inModels('data', (models) => (Array.isArray(models) ? models.map(({ id }) => id) : models)),
  },
  {
    id: '4.1/empty-list',
    breaks: 'the list is empty',
    kills: {
      '2.1/id': /^the list has no models$/,
      '2.1/object': /^the list has no models$/,
      '2.1/created': /^the list has no models$/,
      '2.1/owned-by': /^the list has no models$/,
      '2.1/all-listed': /^not listed: vendora-v4-flash, .*vendorc-4o-mini$/,
    },
    wire: alterServed(to('models'), body('{"object":"list","data":[]}')),
  },
]

export const modelDefects: readonly Defect[] = [...fields, ...lists]
