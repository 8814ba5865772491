/// State diagrams of PlantUML as people keep them beside their programs. Every arrow of each can be taken.
enum PlantUMLDocuments {
  static let all: [(name: String, text: String)] = [
    (
      "order",
      """
      @startuml order
      title Life of an order
      skinparam state {
        BackgroundColor<<Warning>> Olive
        FontName Helvetica
      }
      hide empty description
      left to right direction

      [*] --> Draft
      Draft --> Submitted : submit
      Submitted -right-> Paid : payment received
      Submitted --> Cancelled : cancel
      Paid -[#green]-> Shipped : ship
      Paid -[#red,dashed]-> Refunded : refund [within 14 days]
      Shipped --> Delivered : delivered
      Delivered --> [*]
      Cancelled --> [*]
      Refunded --> [*]
      @enduml
      """
    ),
    (
      "composite with a title",
      """
      @startuml
      !theme plain
      state "Not running" as Off
      state "Running" as On #palegreen {
        state "Warming up" as Warm
        Warm : entry / heater on
        Warm : exit / heater off
        [*] -> Warm
        Warm -> Hot : after 30s
        Hot -down-> Warm : temperature drops
      }
      [*] --> Off
      Off --> On : switch on
      On --> Off : switch off
      @enduml
      """
    ),
    (
      "regions beside each other",
      """
      @startuml
      [*] -> Keyboard
      state Keyboard {
        [*] -> NumOff
        NumOff -> NumOn : num lock
        NumOn -> NumOff : num lock
        --
        [*] -> CapsOff
        CapsOff -> CapsOn : caps lock
        CapsOn -> CapsOff : caps lock
        ||
        [*] -> ScrollOff
        ScrollOff -> ScrollOn : scroll lock
        ScrollOn -> ScrollOff : scroll lock
      }
      @enduml
      """
    ),
    (
      "choice",
      """
      @startuml
      state "Read the form" as form
      state check <<choice>>
      [*] --> form
      form --> check : submit
      check --> saved : [valid]
      check --> form : [else]
      saved --> form : edit
      saved --> [*] : close
      @enduml
      """
    ),
    (
      "fork and join",
      """
      @startuml
      state f <<fork>>
      state j <<join>>
      [*] --> f
      f --> compile
      f --> lint
      compile --> j : compiled
      lint --> j : linted
      j --> publish
      publish --> [*] : published
      @enduml
      """
    ),
    (
      "history",
      """
      @startuml
      [*] -> Play
      state Play {
        [*] --> Song
        Song --> Advert : song ends
        Advert --> Song : advert ends
      }
      Play --> Paused : pause
      Paused --> Play[H] : resume
      Paused --> Play[H*] : wake up
      @enduml
      """
    ),
    (
      "history as a state",
      """
      @startuml
      state Wash {
        state back <<history>>
        [*] --> Fill
        Fill --> Spin : full
        Spin --> Drain : after 10m
        Drain --> Fill : rinse again
      }
      [*] --> Wash
      Wash --> Blackout : power lost
      Blackout --> back : power back
      @enduml
      """
    ),
    (
      "entry and exit points",
      """
      @startuml
      [*] --> Idle
      state Session {
        state guest <<entryPoint>>
        state member <<entryPoint>>
        state gone <<exitPoint>>
        guest --> Browsing
        member --> Profile
        Browsing --> Profile : log in
        Profile --> gone : log out
      }
      Idle --> guest : enter
      Idle --> member : sign in
      gone --> Idle
      @enduml
      """
    ),
    (
      "start and end marks",
      """
      @startuml
      state begin <<start>>
      state over <<end>>
      begin --> working
      working --> waiting : block
      waiting --> working : unblock
      working -> over : finish
      @enduml
      """
    ),
    (
      "notes everywhere",
      """
      @startuml
      [*] --> Open
      note left of Open : it begins here
      note right of Open
        A door that is open
        --> cannot be locked
      end note
      note "a note of its own" as N1
      N1 .. Open
      note as N2
        second
      end note
      Open .. N2
      Open --> Closed : push
      note on link
        with the hand
      end note
      Closed --> Open : pull
      note bottom of Closed #lightblue
        text
      endnote
      floating note "floats" as N3
      @enduml
      """
    ),
    (
      "comments",
      """
      ' written by hand
      @startuml
      ' a comment --> no arrow
      /' a longer
         one --> with arrows '/
      [*] --> A /' here '/
      A --> B : go /' and here '/
      /' '/ B --> A : back
      @enduml
      nothing --> here
      """
    ),
    (
      "legend, header, footer",
      """
      @startuml
      header
      of the house
      endheader
      center footer page 1
      title
      Two
      lines
      end title
      legend right
      |= Colour |= Meaning |
      |<#red>   | bad      |
      endlegend
      caption below
      scale 600 width
      <style>
      stateDiagram { LineColor red }
      </style>
      [*] --> Green
      Green --> Yellow : after 20s
      Yellow --> Red : after 3s
      Red --> Green : after 20s
      @enduml
      """
    ),
    (
      "actions and guards",
      """
      @startuml
      ' data tries = 0
      [*] --> Locked
      Locked : entry / led red
      Locked : do / wait for a card
      Locked --> Locked : wrong code [tries < 2] / tries = tries + 1
      Locked --> Alarm : wrong code [tries >= 2] / siren
      Locked --> Unlocked : right code / tries = 0, open the bolt
      Unlocked --> Locked : after 5s
      Alarm --> Locked : reset / tries = 0
      @enduml
      """
    ),
    (
      "no events at all",
      """
      @startuml
      [*] --> New
      New --> Assigned
      Assigned --> InProgress
      InProgress --> Assigned
      InProgress --> Done
      Done --> [*]
      @enduml
      """
    ),
    (
      "arrows the other way, with two dashes and more",
      """
      @startuml
      Idle <-- [*]
      Idle ---> Busy : job
      Idle <-up- Busy : done
      Busy -[bold]down-> Failed : error
      Failed -[dotted]l-> Idle : retry
      Failed --> [*] : give up
      @enduml
      """
    ),
    (
      "long names with line breaks",
      """
      @startuml
      state "Waiting for\\nthe customer" as w1
      state "Waiting for the supplier" as w2 <<external>> : the part is not here
      [*] --> w1
      w1 --> w2 : order\\nthe part
      w2 --> w1 : **part** arrives / call customer
      @enduml
      """
    ),
    (
      "descriptions",
      """
      @startuml
      [*] --> S1
      S1 : this is a string
      S1 : this is another string
      S1 -> S2
      S2 --> S1 : again
      S2 : ready
      @enduml
      """
    ),
    (
      "no marks of begin and end",
      """
      [*] --> Off
      Off --> On : press
      On --> Off : press
      """
    ),
    (
      "nested three deep",
      """
      @startuml
      [*] --> Phone
      state Phone {
        [*] --> Locked
        state Unlocked {
          [*] --> Home
          state App {
            [*] --> Loading
            Loading --> Ready : loaded
            Loading --> Crashed : timeout (10s)
          }
          Home --> App : tap icon
          App --> Home : home button
        }
        Locked --> Unlocked : finger
        Unlocked --> Locked : lock
      }
      Phone --> Off : battery empty
      Off --> Phone : charge
      @enduml
      """
    ),
    (
      "tcp",
      """
      @startuml
      skinparam monochrome true
      [*] -d-> CLOSED
      CLOSED -d-> LISTEN : passive open
      CLOSED -d-> SYN_SENT : active open / send SYN
      LISTEN -d-> SYN_RCVD : SYN received / send SYN+ACK
      SYN_SENT -l-> SYN_RCVD : SYN received / send ACK
      SYN_SENT -d-> ESTABLISHED : SYN+ACK received / send ACK
      SYN_RCVD -d-> ESTABLISHED : ACK received
      ESTABLISHED -d-> FIN_WAIT_1 : close / send FIN
      ESTABLISHED -r-> CLOSE_WAIT : FIN received / send ACK
      FIN_WAIT_1 -d-> FIN_WAIT_2 : ACK received
      FIN_WAIT_2 -d-> TIME_WAIT : FIN received / send ACK
      CLOSE_WAIT -d-> LAST_ACK : close / send FIN
      LAST_ACK -d-> CLOSED : ACK received
      TIME_WAIT -u-> CLOSED : after 2 minutes
      @enduml
      """
    ),
    (
      "colours, links and tags in states",
      """
      @startuml
      state A #red
      state B #pink;line:green;line.dotted;text:red : a text
      state C ##[dashed]blue [[https://example.org more]] $tag {
        state D
      }
      [*] --> A
      A --> B : one
      B --> C #blue : two
      C --> A : three
      @enduml
      """
    ),
    (
      "bars",
      """
      @startuml
      [*] --> ==begin==
      ==begin== --> Cook
      ==begin== --> Set
      Cook --> ==together== : cooked
      Set --> ==together== : table set
      ==together== --> Eat
      Eat --> [*] : eaten
      @enduml
      """
    ),
    (
      "a state that is mentioned in a block and belongs outside",
      """
      @startuml
      [*] --> State1
      State1 --> State2 : Succeeded
      State1 --> [*] : Aborted
      State2 --> State3 : Succeeded
      State2 --> [*] : Aborted
      state State3 {
        state "Accumulate data" as long1
        long1 : just a test
        [*] --> long1
        long1 --> long1 : new data
        long1 --> Process : enough data
        State2 --> [H] : Resume
      }
      State3 --> State2 : Pause
      State2 --> State3[H*] : DeepResume
      State3 --> State3 : Failed
      State3 --> [*] : Succeeded
      @enduml
      """
    ),
    (
      "preprocessor",
      """
      @startuml
      !include <tupadr3/common>
      !pragma layout smetana
      !$color = "red"
      !procedure $box($name)
      rectangle $name
      !endprocedure
      [*] --> Idle
      Idle --> Run : start
      Run --> Idle : stop
      @enduml
      """
    ),
    (
      "other words for blocks",
      """
      @startuml
      state Parent begin
        state c1 <<choice>>
        [*] --> c1
        c1 --> Left : [is left]
        c1 --> Right
        Left --> Right : swap
      end state
      [*] --> Parent
      Parent --> Gone : leave
      Gone --> Parent : come back
      @enduml
      """
    ),
    (
      "states called like words of the language",
      """
      @startuml
      [*] --> start
      start --> title : go
      title --> note : next
      note --> state1 : next
      state1 --> scale : if ready
      scale --> header1 : 500ms
      header1 --> start : hide
      title : shown
      @enduml
      """
    ),
    (
      "a continued line and other scripts",
      """
      @startuml
      [*] --> Закрыто
      Закрыто --> Открыто : нажать \\
        кнопку
      Открыто --> Закрыто : schließen / grüßen
      @enduml
      """
    ),
    (
      "colours, a timer called timer, a choice without else",
      """
      @startuml "sensor node"
      state Sleep #lightblue
      state Measure #pink;line:red;line.bold;text:blue : read ADC
      state Send ##[dashed]blue
      state tries <<choice>>
      [*] --> Sleep
      Sleep --> Measure : timer (60s)
      Measure --> Send : value ready\\nand link up
      Measure --> Sleep : no change
      Send --> Sleep : ACK
      Send -[#red,dashed]-> tries : NACK
      tries --> Send : [left > 1] / left = left - 1
      tries -up-> Error : [left <= 1]
      Error --> Sleep : reset / left = 3
      note on link
        retry 3 times
      end note
      @enduml
      """
    ),
  ]
}
