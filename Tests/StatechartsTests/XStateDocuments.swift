/// Machines of XState in JSON as people export them. Every arrow of each can be taken.
enum XStateDocuments {
  static let all: [(name: String, text: String)] = [
    (
      "toggle",
      """
      {
        "id": "toggle",
        "initial": "inactive",
        "states": {
          "inactive": { "on": { "TOGGLE": "active" } },
          "active": { "on": { "TOGGLE": { "target": "inactive" } } }
        }
      }
      """
    ),
    (
      "traffic light with a composite",
      """
      {
        "id": "light", "initial": "green",
        "states": {
          "green": { "after": { "20000": "yellow" } },
          "yellow": { "after": { "3000": { "target": "red", "actions": "beep" } } },
          "red": {
            "initial": "walk",
            "states": {
              "walk": { "on": { "COUNTDOWN": "wait" } },
              "wait": { "on": { "COUNTDOWN": "stop" } },
              "stop": { "type": "final" }
            },
            "onDone": "green",
            "on": { "POWER_OUTAGE": ".walk" }
          }
        }
      }
      """
    ),
    (
      "fetch of version 4",
      """
      {
        "id": "fetch", "initial": "idle", "predictableActionArguments": true,
        "context": { "retries": 0, "data": null },
        "states": {
          "idle": { "on": { "FETCH": "loading" } },
          "loading": {
            "invoke": {
              "id": "getData", "src": "fetchData",
              "onDone": { "target": "success", "actions": ["keep data"] },
              "onError": [
                { "target": "loading", "cond": "canRetry", "actions": "countRetry" },
                { "target": "failure" }
              ]
            },
            "on": { "CANCEL": "idle" }
          },
          "success": { "type": "final", "data": { "a": 1 } },
          "failure": { "on": { "RETRY": { "target": "loading", "actions": [{ "type": "log", "label": "again" }] } } }
        }
      }
      """
    ),
    (
      "parallel editor of version 5",
      """
      {
        "id": "editor", "type": "parallel",
        "states": {
          "bold": {
            "initial": "off",
            "states": { "off": { "on": { "BOLD": "on" } }, "on": { "on": { "BOLD": "off" } } }
          },
          "save": {
            "initial": "clean",
            "states": {
              "clean": { "on": { "EDIT": { "target": "dirty", "guard": "isEditable" } } },
              "dirty": { "on": { "SAVE": { "target": "clean", "guard": { "type": "not", "guards": ["isLocked"] } } } }
            }
          }
        },
        "on": { "RESET": [{ "target": [".bold.off", ".save.clean"] }] }
      }
      """
    ),
    (
      "history",
      """
      {
        "id": "payment", "initial": "method",
        "states": {
          "method": {
            "initial": "cash",
            "states": {
              "cash": { "on": { "SWITCH_CHECK": "check" } },
              "check": { "on": { "SWITCH_CASH": "cash" } },
              "hist": { "type": "history" }
            },
            "on": { "NEXT": "review" }
          },
          "review": { "on": { "PREVIOUS": "method.hist" } }
        }
      }
      """
    ),
    (
      "deep history by version 4",
      """
      {
        "key": "player", "initial": "stopped",
        "states": {
          "stopped": { "on": { "PLAY": "playing.back", "FRESH": "playing" } },
          "playing": {
            "initial": "list",
            "on": { "STOP": "stopped" },
            "states": {
              "list": {
                "initial": "first",
                "states": { "first": { "on": { "NEXT": "second" } }, "second": {} }
              },
              "back": { "history": "deep", "target": "list" }
            }
          }
        }
      }
      """
    ),
    (
      "guards with parameters and always",
      """
      {
        "id": "quiz", "initial": "question", "context": { "score": 0 },
        "states": {
          "question": {
            "on": {
              "ANSWER": { "target": "check", "actions": [{ "type": "xstate.assign", "assignment": { "score": 3 } }] },
              "SKIP": "check"
            }
          },
          "check": {
            "always": [
              { "target": "won", "guard": "score > 2" },
              { "target": "half", "guard": { "type": "isAtLeast", "params": { "points": 1 } } },
              { "target": "lost" }
            ]
          },
          "won": { "entry": { "type": "praise", "params": { "text": "well done", "loud": true } } },
          "half": { "on": { "AGAIN": "question" } },
          "lost": { "on": { "AGAIN": "question" } }
        }
      }
      """
    ),
    (
      "targets by id",
      """
      {
        "id": "wizard", "initial": "one",
        "states": {
          "one": { "id": "first", "on": { "NEXT": "#second", "JUMP": "#wizard.two.inner" } },
          "two": {
            "id": "second", "initial": "inner",
            "states": { "inner": { "on": { "BACK": "#first", "NEXT": "deep" } }, "deep": {} },
            "on": { "HOME": "#wizard.one" }
          }
        }
      }
      """
    ),
    (
      "self transitions",
      """
      {
        "id": "counter", "initial": "counting", "context": { "count": 0 },
        "states": {
          "counting": {
            "entry": "enter", "exit": ["leave"],
            "on": {
              "INC": { "actions": "increment" },
              "DEC": { "guard": "isPositive", "actions": ["decrement"] },
              "SAME": { "target": "counting" },
              "AGAIN": { "target": "counting", "reenter": true },
              "STOP": "stopped"
            }
          },
          "stopped": { "type": "final" }
        }
      }
      """
    ),
    (
      "spellings of version 4",
      """
      {
        "id": "door", "initial": "closed", "strict": true,
        "states": {
          "closed": {
            "onEntry": ["lock"], "onExit": "unlock",
            "on": { "OPEN": { "target": "open", "cond": { "type": "hasKey" }, "internal": false } }
          },
          "open": {
            "activities": ["ring the bell"],
            "on": { "": { "target": "jammed", "cond": "isStuck" }, "CLOSE": "closed" }
          },
          "jammed": { "on": { "KICK": { "target": "open", "in": "#door.jammed" } } }
        }
      }
      """
    ),
    (
      "delays by name and as a list",
      """
      {
        "id": "poll", "initial": "waiting", "delays": { "POLL": 2500 },
        "states": {
          "waiting": { "after": { "POLL": "asking", "BACKOFF": "asking" } },
          "asking": {
            "after": [{ "delay": 500, "target": "waiting" }],
            "on": { "PAUSE": "tired" }
          },
          "tired": { "after": [{ "delay": "1 min", "target": "waiting" }], "on": { "WAKE": "waiting" } }
        }
      }
      """
    ),
    (
      "raise and send",
      """
      {
        "id": "relay", "initial": "a",
        "states": {
          "a": { "on": { "GO": { "target": "b", "actions": [{ "type": "xstate.raise", "event": { "type": "INNER" } }] } } },
          "b": {
            "on": { "INNER": "c" }
          },
          "c": {
            "entry": [{ "type": "xstate.send", "event": "LATER", "delay": 1000, "id": "later" }, { "type": "xstate.sendParent", "event": "DONE" }],
            "on": { "LATER": "d", "STOP": { "target": "d", "actions": { "type": "xstate.cancel", "sendId": "later" } } }
          },
          "d": { "on": { "RESET": "a" } }
        }
      }
      """
    ),
    (
      "a machine that was written out",
      """
      {
        "id": "m", "key": "m", "type": "compound",
        "initial": { "target": ["#m.idle"], "source": "#m", "actions": [], "eventType": null },
        "history": false,
        "states": {
          "idle": {
            "id": "m.idle", "key": "idle", "type": "atomic", "initial": null, "history": false, "states": {},
            "on": {
              "GO": [{ "target": ["#m.busy"], "source": "#m.idle", "actions": [], "cond": null, "eventType": "GO" }],
              "xstate.after(5000)#m.idle": [{ "target": ["#m.busy"], "actions": [], "delay": 5000 }]
            },
            "transitions": [], "entry": [], "exit": [], "order": 1, "invoke": [], "meta": {}, "tags": []
          },
          "busy": {
            "id": "m.busy", "key": "busy", "type": "atomic", "states": {}, "order": 2,
            "on": { "done.invoke.job": [{ "target": ["#m.idle"], "actions": [{ "type": "tidy up" }] }] },
            "invoke": [{ "type": "xstate.invoke", "id": "job", "src": { "type": "doJob" } }]
          }
        },
        "on": {}, "transitions": [], "order": -1, "version": "1.2.0"
      }
      """
    ),
    (
      "wildcards and events with dots",
      """
      {
        "id": "form", "initial": "editing", "description": "a form",
        "states": {
          "editing": { "on": { "FORM.SUBMIT": "sent", "mouse.*": { "actions": "highlight" }, "*": { "actions": "unknown" } } },
          "sent": { "tags": ["busy"], "on": { "user edits again": "editing", "FORBIDDEN": {} } }
        }
      }
      """
    ),
    (
      "in a wrapper, with equal names",
      """
      {
        "machine": {
          "id": "two lights", "initial": "street",
          "states": {
            "street": { "initial": "green", "states": { "green": { "on": { "NEXT": "red" } }, "red": {} }, "on": { "SWAP": "foot-way" } },
            "foot-way": { "initial": "green", "states": { "green": { "on": { "NEXT": "red" } }, "red": {} }, "on": { "SWAP": "street" } }
          }
        },
        "layoutString": "abc"
      }
      """
    ),
    (
      "a parallel state that ends",
      """
      {
        "id": "file", "initial": "upload",
        "states": {
          "upload": {
            "type": "parallel",
            "states": {
              "scan": { "initial": "run", "states": { "run": { "on": { "CLEAN": "ok" } }, "ok": { "type": "final" } } },
              "copy": { "initial": "run", "states": { "run": { "on": { "COPIED": "ok" } }, "ok": { "type": "final" } } }
            },
            "onDone": { "target": "done", "actions": ["notify"] },
            "on": { "ABORT": "aborted" }
          },
          "done": { "type": "final" },
          "aborted": { "on": { "RESTART": "upload" } }
        }
      }
      """
    ),
    (
      "guards of guards, an output called log",
      """
      {
        "id": "door", "initial": "closed",
        "states": {
          "closed": {
            "initial": "idle",
            "states": {
              "idle": { "on": { "BANG": { "actions": "log" } } },
              "locked": { "on": { "UNLOCK": "#door.closed.idle", "OPEN": { "guard": { "type": "and", "guards": ["hasKey", { "type": "not", "guard": "isNight" }] }, "target": "#opened" } } }
            },
            "on": { "OPEN": "#opened", "LOCK": ".locked" }
          },
          "opened": {
            "id": "opened",
            "on": { "CLOSE": "closed", "SLAM": { "target": "closed", "actions": [{ "type": "xstate.raise", "event": { "type": "BANG" } }] } }
          }
        }
      }
      """
    ),
  ]
}
