/* SPDX-License-Identifier: MIT
 *
 * wake_agent(payload): a message to the script's agent.
 *
 * The promise settles when the host has handed the message over, which may be later: they go
 * one by one, with time between. The cap is kept here too, so that a script learns of it; the
 * host takes a cell that sends more for a broken one.
 */
(function makeWakes(own, encodePayload, native, makeError, isClosed) {
  "use strict";

  const { mapGet, mapSet, mapDelete } = own;
  const NativePromise = own.Promise;
  const sendWake = native.wake;
  const MAX_BYTES = 65536;
  const DELIVERED = 1;
  const NOBODY = 2;
  const DEEP = 4;

  const wakes = new own.Map(); // id: how to settle its promise
  let maxWakes = 0;
  let maxValues = 0;
  let lastId = 0;

  function refusal(why, effect, site) {
    return makeError("WakeRefused", "the wake was not " + why, undefined, effect, site);
  }

  function send(payload, settle) {
    const site = settle.site;

    if (maxWakes === 0) {
      throw refusal("sent: wakes are turned off here (max_wakes is 0)", "none", site);
    }
    if (isClosed()) {
      throw refusal("sent: the script had ended", "none", site);
    }
    const text = encodePayload(payload, maxValues);
    if (text.length * 3 > MAX_BYTES && native.utf8Length(text) > MAX_BYTES) {
      throw own.rangeError("the payload is " + native.utf8Length(text) + " bytes of JSON, more " +
                           "than the " + MAX_BYTES + " that a wake may hold");
    }
    if (lastId >= maxWakes) {
      throw refusal("sent: this script has sent all its " + maxWakes + " (max_wakes)", "none",
                    site);
    }
    mapSet(wakes, ++lastId, settle);
    sendWake(lastId, text);
  }

  function wakeAgent(payload) {
    const settle = {
      __proto__: null, resolve: null, reject: null, site: own.errorStack(new own.Error("")),
    };
    const promise = new NativePromise((resolve, reject) => {
      settle.resolve = resolve;
      settle.reject = reject;
    });

    try {
      send(payload, settle);
    } catch (error) {
      settle.reject(error);
    }
    return promise;
  }

  /* The host's answer; whether such a wake was out. */
  function woken(id, how) {
    const settle = mapGet(wakes, id);

    if (settle === undefined) {
      return false;
    }
    mapDelete(wakes, id);
    if (how === DELIVERED) {
      settle.resolve();
    } else if (how === NOBODY) {
      settle.reject(refusal("sent: nobody takes wakes here", "none", settle.site));
    } else if (how === DEEP) {
      settle.reject(refusal("sent: its payload is nested more than 2,000 deep", "none",
                            settle.site));
    } else {
      settle.reject(refusal("delivered: its agent could not be reached", "possible", settle.site));
    }
    return true;
  }

  function allow(count, values) {
    maxWakes = count;
    maxValues = values;
  }

  return {
    __proto__: null, woken, allow,
    wake_agent: { wake_agent(payload) {
      return wakeAgent(payload);
    } }.wake_agent,
  };
})
